// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "descriptor_memory.hpp"
#include "text_sink.hpp"

namespace gantry::codec {

namespace {

// ---- numbers of any size
// --------------------------------------------------------------------------

// By memcpy, because an enumeration is not an alias of its underlying type.
template <class T>
T load(const void* object) {
  T value{};
  std::memcpy(&value, object, sizeof value);
  return value;
}

std::int64_t load_signed(const void* object, std::size_t size) {
  switch (size) {
    case 1: return load<std::int8_t>(object);
    case 2: return load<std::int16_t>(object);
    case 4: return load<std::int32_t>(object);
    default: return load<std::int64_t>(object);
  }
}

std::uint64_t load_unsigned(const void* object, std::size_t size) {
  switch (size) {
    case 1: return load<std::uint8_t>(object);
    case 2: return load<std::uint16_t>(object);
    case 4: return load<std::uint32_t>(object);
    default: return load<std::uint64_t>(object);
  }
}

// ---- writing
// --------------------------------------------------------------------------------------

void put(TextSink& out, const Descriptor& type, const void* object);

void put_enum(TextSink& out, const Descriptor& type, const void* object) {
  // Compared by the bytes that the object has, signed or not.
  const std::uint64_t value = load_unsigned(object, type.size);
  std::string_view name = "unknown";
  for (const Enumerator& e : type.enumerators) {
    if ((static_cast<std::uint64_t>(e.value) & highest_unsigned(type.size)) != value) continue;
    name = e.name;
    break;
  }
  out.put('"');
  out.put(name);
  out.put('"');
}

void put_vector(TextSink& out, const Descriptor& type, const void* object) {
  out.put('[');
  const Descriptor& element = type.element();
  const std::size_t count = type.count(object);
  const void* next = count != 0 ? type.get(object, 0) : nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out.put(',');
    put(out, element, next);
    next = at(next, element.size);
  }
  out.put(']');
}

void put_bool(TextSink& out, bool value) { out.put(value ? "true" : "false"); }

void put_bits(TextSink& out, const std::vector<bool>& bits) {
  out.put('[');
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (i != 0) out.put(',');
    put_bool(out, bits[i]);
  }
  out.put(']');
}

void put_map(TextSink& out, const Descriptor& type, const void* object) {
  struct State {
    TextSink& out;
    const Descriptor& element;
    bool first = true;
  } state{out, type.element()};
  out.put('{');
  type.each(object, &state, [](void* user, const std::string& key, const void* value) {
    State& s = *static_cast<State*>(user);
    if (!std::exchange(s.first, false)) s.out.put(',');
    s.out.put_string(key);
    s.out.put(':');
    put(s.out, s.element, value);
  });
  out.put('}');
}

void put_structure(TextSink& out, const Descriptor& type, const void* object) {
  out.put('{');
  bool first = true;
  for (const Member& member : type.members) {
    const Descriptor* what = &member.type();
    const void* value = at(object, member.offset);
    if (what->kind == Kind::optional) {
      value = what->get(value, 0);
      if (value == nullptr) continue;
      what = &what->element();
    }
    std::string_view name = member.written();
    if (std::exchange(first, false)) name.remove_prefix(1);
    out.put(name);
    put(out, *what, value);
  }
  out.put('}');
}

void put(TextSink& out, const Descriptor& type, const void* object) {
  switch (type.kind) {
    case Kind::boolean: return put_bool(out, *static_cast<const bool*>(object));
    case Kind::enumeration: return put_enum(out, type, object);
    case Kind::signed_integer: return out.put_signed(load_signed(object, type.size));
    case Kind::unsigned_integer: return out.put_unsigned(load_unsigned(object, type.size));
    case Kind::floating:
      return out.put_double(type.size == sizeof(float) ? double{*static_cast<const float*>(object)}
                                                       : *static_cast<const double*>(object));
    case Kind::string: return out.put_string(*static_cast<const std::string*>(object));
    case Kind::buffer:
      return write_base64(out.flushed(), static_cast<const Buffer*>(object)->bytes());
    case Kind::json: {
      const std::string& text = static_cast<const Json*>(object)->text;
      return out.put(text.empty() ? std::string_view("null") : std::string_view(text));
    }
    case Kind::optional:
      if (const void* inner = type.get(object, 0)) return put(out, type.element(), inner);
      return out.put("null");
    case Kind::vector: return put_vector(out, type, object);
    case Kind::bits: return put_bits(out, *static_cast<const std::vector<bool>*>(object));
    case Kind::map: return put_map(out, type, object);
    case Kind::structure: return put_structure(out, type, object);
  }
}

}  // namespace

void write(std::string& out, const Descriptor& type, const void* object) {
  TextSink sink(out);
  put(sink, type, object);
  sink.flush();
}

// ---- reading
// --------------------------------------------------------------------------------------

namespace {

Result<void> read_enum(const Descriptor& type, void* object, const boost::json::value& in,
                       const Path& path) {
  const auto* text = in.if_string();
  if (text == nullptr) return wrong_type(path, "a name", in);
  const std::string_view name(text->data(), text->size());
  for (const Enumerator& e : type.enumerators) {
    if (e.name != name) continue;
    store_integer(object, type.size, static_cast<std::uint64_t>(e.value));
    return {};
  }
  std::string names;
  for (const Enumerator& e : type.enumerators) (names += names.empty() ? "" : ", ") += e.name;
  return bad_value(path, "expected one of " + names);
}

Result<void> read_floating(const Descriptor& type, void* object, const boost::json::value& in,
                           const Path& path) {
  GANTRY_ASSIGN(const double number, read_double(in, path));
  if (type.size == sizeof(double)) {
    std::memcpy(object, &number, sizeof number);
    return {};
  }
  if (std::abs(number) > static_cast<double>(std::numeric_limits<float>::max())) {
    return bad_value(path, "the number is too large");
  }
  *static_cast<float*>(object) = static_cast<float>(number);
  return {};
}

Result<void> read_vector(const Descriptor& type, void* object, const boost::json::value& in,
                         const Path& path) {
  const auto* array = in.if_array();
  if (array == nullptr) return wrong_type(path, "an array", in);
  type.clear(object, array->size());
  const Descriptor& element = type.element();
  for (std::size_t i = 0; i < array->size(); ++i) {
    const Path here{&path, {}, i};
    GANTRY_TRY(read(element, type.add(object), (*array)[i], here));
  }
  return {};
}

Result<void> read_bits(std::vector<bool>& bits, const boost::json::value& in, const Path& path) {
  const auto* array = in.if_array();
  if (array == nullptr) return wrong_type(path, "an array", in);
  bits.clear();
  bits.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    const boost::json::value& bit = (*array)[i];
    if (!bit.is_bool()) return wrong_type(Path{&path, {}, i}, "true or false", bit);
    bits.push_back(bit.get_bool());
  }
  return {};
}

Result<void> read_map(const Descriptor& type, void* object, const boost::json::value& in,
                      const Path& path) {
  const auto* entries = in.if_object();
  if (entries == nullptr) return wrong_type(path, "an object", in);
  type.clear(object, entries->size());
  const Descriptor& element = type.element();
  for (const auto& [key, value] : *entries) {
    const std::string_view name(key.data(), key.size());
    const Path here{&path, name, 0};
    GANTRY_TRY(read(element, type.put(object, name), value, here));
  }
  return {};
}

Result<void> read_structure(const Descriptor& type, void* object, const boost::json::value& in,
                            const Path& path) {
  const auto* entries = in.if_object();
  if (entries == nullptr) return wrong_type(path, "an object", in);
  // Most documents have their members in the order of the struct, so the next entry is usually the
  // wanted one.
  const auto* likely = entries->begin();
  for (const Member& member : type.members) {
    if (likely == entries->end() || std::string_view(likely->key()) != member.name) {
      const auto* found = entries->find(member.name);
      if (found == entries->end()) continue;
      likely = found;
    }
    const boost::json::value& value = likely++->value();
    if (value.is_null()) continue;
    const Path here{&path, member.name, 0};
    GANTRY_TRY(read(member.type(), at(object, member.offset), value, here));
  }
  return {};
}

Result<void> read_optional(const Descriptor& type, void* object, const boost::json::value& in,
                           const Path& path) {
  type.clear(object, 0);
  return in.is_null() ? Result<void>() : read(type.element(), type.add(object), in, path);
}

Result<void> read_buffer(Buffer& out, const boost::json::value& in, const Path& path) {
  const auto* text = in.if_string();
  if (text == nullptr) return wrong_type(path, "base64 text", in);
  auto bytes = read_base64({text->data(), text->size()});
  if (!bytes.ok()) return bad_value(path, bytes.error().message);
  out = Buffer::of(std::move(bytes).value());
  return {};
}

}  // namespace

Result<void> read(const Descriptor& type, void* object, const boost::json::value& in,
                  const Path& path) {
  switch (type.kind) {
    case Kind::boolean:
      if (!in.is_bool()) return wrong_type(path, "true or false", in);
      *static_cast<bool*>(object) = in.get_bool();
      return {};
    case Kind::enumeration: return read_enum(type, object, in, path);
    case Kind::signed_integer: {
      GANTRY_ASSIGN(const std::int64_t number,
                    read_signed(in, path, lowest_signed(type.size), highest_signed(type.size)));
      store_integer(object, type.size, static_cast<std::uint64_t>(number));
      return {};
    }
    case Kind::unsigned_integer: {
      GANTRY_ASSIGN(const std::uint64_t number,
                    read_unsigned(in, path, highest_unsigned(type.size)));
      store_integer(object, type.size, number);
      return {};
    }
    case Kind::floating: return read_floating(type, object, in, path);
    case Kind::string: {
      const auto* text = in.if_string();
      if (text == nullptr) return wrong_type(path, "a string", in);
      static_cast<std::string*>(object)->assign(text->data(), text->size());
      return {};
    }
    case Kind::buffer: return read_buffer(*static_cast<Buffer*>(object), in, path);
    case Kind::json: *static_cast<Json*>(object) = Json(serialize(in)); return {};
    case Kind::optional: return read_optional(type, object, in, path);
    case Kind::vector: return read_vector(type, object, in, path);
    case Kind::bits: return read_bits(*static_cast<std::vector<bool>*>(object), in, path);
    case Kind::map: return read_map(type, object, in, path);
    case Kind::structure: return read_structure(type, object, in, path);
  }
  return {};
}

Result<void> read_text(const Descriptor& type, void* object, std::string_view json) {
  struct Target {
    const Descriptor& type;
    void* object;
  } target{type, object};
  return with_parsed(
      json,
      [](void* state, const boost::json::value& parsed) {
        const Target& into = *static_cast<Target*>(state);
        return read(into.type, into.object, parsed, Path{});
      },
      &target);
}

gantry_status encode(const Descriptor& type, const void* object, gantry_buf* out) noexcept {
  try {
    std::string text;
    write(text, type, object);
    *out = Buffer::of(std::move(text)).detach();
    return GANTRY_OK;
  } catch (...) {
    return GANTRY_RESOURCE_EXHAUSTED;
  }
}

bool TextReader::read(void* object) {
  if (!std::exchange(tried_, true)) return read_straight(type_, object, json_);
  Result<void> result = read_text(type_, object, json_);
  if (result.ok()) return true;
  failed_ = true;
  error_ = std::move(result).error();
  return false;
}

}  // namespace gantry::codec
