// SPDX-License-Identifier: Apache-2.0
// What follows from a descriptor alone: its layout hash, its JSON Schema, and what an object
// weighs.
#include <gantry/codec.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "descriptor_memory.hpp"

namespace gantry::codec {

namespace {

/// The types that enclose the one being treated, so that recursive types end.
struct Scope {
  const Scope* outer;
  const Descriptor* type;
};

/// What decides the layout of standard library types besides their names.
constexpr std::uint64_t library_fingerprint() {
  std::uint64_t hash = contract_id("gantry-layout-1");
#if defined(_LIBCPP_VERSION)
  hash = mix(mix(hash, "libc++"), static_cast<std::uint64_t>(_LIBCPP_VERSION));
#elif defined(__GLIBCXX__)
  hash = mix(mix(hash, "libstdc++"), static_cast<std::uint64_t>(_GLIBCXX_USE_CXX11_ABI));
#endif
#if defined(_GLIBCXX_DEBUG)
  hash = mix(hash, "debug");
#endif
  return mix(hash, sizeof(void*));
}

std::uint64_t hash_in(const Descriptor& type, const Scope* scope);

std::uint64_t hash_structure(const Descriptor& type, std::uint64_t seed, const Scope* scope) {
  std::uint64_t depth = 0;
  for (const Scope* s = scope; s != nullptr; s = s->outer, ++depth) {
    if (s->type == &type) return mix(mix(seed, "recursive"), depth);
  }
  const Scope inner{scope, &type};
  std::uint64_t hash = seed;
  for (const Member& member : type.members) {
    hash = mix(mix(hash, member.name), std::uint64_t{member.offset});
    hash = mix(hash, hash_in(member.type(), &inner));
  }
  return hash;
}

std::uint64_t hash_in(const Descriptor& type, const Scope* scope) {
  const std::uint64_t seed =
      mix(mix(library_fingerprint(), std::uint64_t{type.size}), std::uint64_t{type.alignment});
  switch (type.kind) {
    case Kind::boolean: return mix(seed, "bool");
    case Kind::enumeration: {
      std::uint64_t hash = mix(seed, "enum");
      for (const Enumerator& e : type.enumerators) {
        hash = mix(mix(hash, e.name), static_cast<std::uint64_t>(e.value));
      }
      return hash;
    }
    case Kind::signed_integer: return mix(seed, "int");
    case Kind::unsigned_integer: return mix(seed, "uint");
    case Kind::floating: return mix(seed, "float");
    case Kind::string: return mix(seed, "string");
    case Kind::buffer: return mix(seed, "buffer");
    case Kind::json: return mix(seed, "json");
    case Kind::optional: return mix(mix(seed, "optional"), hash_in(type.element(), scope));
    case Kind::vector:
    case Kind::bits: return mix(mix(seed, "vector"), hash_in(type.element(), scope));
    case Kind::map: return mix(mix(seed, "map"), hash_in(type.element(), scope));
    case Kind::structure: return hash_structure(type, seed, scope);
  }
  return seed;
}

void schema_in(std::string& out, const Descriptor& type, const Scope* scope);

void integer_schema(std::string& out, const Descriptor& type) {
  out += R"({"type":"integer","minimum":)";
  const bool has_sign = type.kind == Kind::signed_integer;
  write_integer(out, has_sign ? lowest_signed(type.size) : 0);
  out += R"(,"maximum":)";
  write_unsigned(out, has_sign ? static_cast<std::uint64_t>(highest_signed(type.size))
                               : highest_unsigned(type.size));
  out += '}';
}

void enum_schema(std::string& out, const Descriptor& type) {
  out += R"({"enum":[)";
  bool first = true;
  for (const Enumerator& e : type.enumerators) {
    if (!std::exchange(first, false)) out += ',';
    write_string(out, e.name);
  }
  out += "]}";
}

void structure_schema(std::string& out, const Descriptor& type, const Scope* scope) {
  for (const Scope* s = scope; s != nullptr; s = s->outer) {
    if (s->type != &type) continue;
    out += s->outer == nullptr ? R"({"$ref":"#"})" : "true";
    return;
  }
  const Scope inner{scope, &type};
  out += '{';
  if (scope == nullptr) {
    out += R"("$schema":"https://json-schema.org/draft/2020-12/schema","title":)";
    write_string(out, type.name);
    out += ',';
  }
  out += R"("type":"object","properties":{)";
  bool first = true;
  for (const Member& member : type.members) {
    if (!std::exchange(first, false)) out += ',';
    write_string(out, member.name);
    out += ':';
    schema_in(out, member.type(), &inner);
  }
  out += "}}";
}

void schema_in(std::string& out, const Descriptor& type, const Scope* scope) {
  switch (type.kind) {
    case Kind::boolean: out += R"({"type":"boolean"})"; return;
    case Kind::enumeration: return enum_schema(out, type);
    case Kind::signed_integer:
    case Kind::unsigned_integer: return integer_schema(out, type);
    case Kind::floating: out += R"({"type":"number"})"; return;
    case Kind::string: out += R"({"type":"string"})"; return;
    case Kind::buffer: out += R"({"type":"string","contentEncoding":"base64"})"; return;
    case Kind::json: out += "true"; return;
    case Kind::optional: return schema_in(out, type.element(), scope);
    case Kind::vector:
    case Kind::bits:
      out += R"({"type":"array","items":)";
      schema_in(out, type.element(), scope);
      out += '}';
      return;
    case Kind::map:
      out += R"({"type":"object","additionalProperties":)";
      schema_in(out, type.element(), scope);
      out += '}';
      return;
    case Kind::structure: return structure_schema(out, type, scope);
  }
}

/// Objects of these kinds are whole without anything outside.
bool plain(Kind kind) { return kind <= Kind::floating; }

}  // namespace

std::uint64_t layout_hash(const Descriptor& type) { return hash_in(type, nullptr); }

std::string schema_text(const Descriptor& type) {
  std::string text;
  schema_in(text, type, nullptr);
  return text;
}

namespace {

/// Most of what elements keep outside is text, which needs no walk.
enum class Form : std::uint8_t { text, optional_text, other };

struct HeavyMember {
  std::size_t offset;
  const Descriptor* type;
  Form form;
};

Form form_of(const Descriptor& type) {
  if (type.kind == Kind::string) return Form::text;
  const bool text = type.kind == Kind::optional && type.element().kind == Kind::string;
  return text ? Form::optional_text : Form::other;
}

/// Whether objects of this type never have anything outside. Types that contain themselves do so by
/// something that is outside, so this ends.
bool weightless(const Descriptor& type) {
  if (type.kind == Kind::optional) return weightless(type.element());
  if (type.kind != Kind::structure) return plain(type.kind);
  return std::all_of(type.members.begin(), type.members.end(),
                     [](const Member& member) { return weightless(member.type()); });
}

std::vector<HeavyMember> heavy_members(const Descriptor& structure) {
  std::vector<HeavyMember> heavy;
  for (const Member& member : structure.members) {
    if (const Descriptor& type = member.type(); !weightless(type)) {
      heavy.push_back({member.offset, &type, form_of(type)});
    }
  }
  return heavy;
}

std::size_t extra_bytes_of(const HeavyMember& member, const void* object) {
  const void* const value = at(object, member.offset);
  switch (member.form) {
    case Form::text: return static_cast<const std::string*>(value)->size();
    case Form::optional_text: {
      const auto* const text = static_cast<const std::string*>(member.type->get(value, 0));
      return text != nullptr ? text->size() : 0;
    }
    case Form::other: break;
  }
  return extra_bytes(*member.type, value);
}

/// Of `count` elements in a row. A tree on the bus has thousands and is weighed each time: what
/// they are made of is looked up once.
std::size_t extra_bytes_of_row(const Descriptor& element, const void* first, std::size_t count) {
  std::size_t sum = 0;
  if (element.kind != Kind::structure) {
    for (std::size_t i = 0; i < count; ++i)
      sum += extra_bytes(element, at(first, i * element.size));
    return sum;
  }
  const std::vector<HeavyMember> heavy = heavy_members(element);
  for (std::size_t i = 0; i < count; ++i) {
    const void* const object = at(first, i * element.size);
    for (const HeavyMember& member : heavy) sum += extra_bytes_of(member, object);
  }
  return sum;
}

}  // namespace

std::size_t extra_bytes(const Descriptor& type, const void* object) {
  switch (type.kind) {
    case Kind::string: return static_cast<const std::string*>(object)->size();
    case Kind::buffer: return static_cast<const Buffer*>(object)->size();
    case Kind::json: return static_cast<const Json*>(object)->text.size();
    case Kind::optional: {
      const void* inner = type.get(object, 0);
      return inner != nullptr ? extra_bytes(type.element(), inner) : 0;
    }
    case Kind::vector: {
      const Descriptor& element = type.element();
      const std::size_t count = type.count(object);
      const std::size_t own = count * element.size;
      if (count == 0 || plain(element.kind)) return own;
      return own + extra_bytes_of_row(element, type.get(object, 0), count);
    }
    case Kind::bits: return static_cast<const std::vector<bool>*>(object)->size();
    case Kind::map: {
      struct State {
        const Descriptor& element;
        std::size_t sum = 0;
      } state{type.element()};
      type.each(object, &state, [](void* user, const std::string& key, const void* value) {
        State& s = *static_cast<State*>(user);
        s.sum += key.size() + sizeof(std::string) + s.element.size + extra_bytes(s.element, value);
      });
      return state.sum;
    }
    case Kind::structure: {
      std::size_t sum = 0;
      for (const Member& member : type.members) {
        const Descriptor& what = member.type();
        if (!plain(what.kind)) sum += extra_bytes(what, at(object, member.offset));
      }
      return sum;
    }
    default: return 0;
  }
}

}  // namespace gantry::codec
