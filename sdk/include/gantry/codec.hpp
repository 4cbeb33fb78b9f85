// SPDX-License-Identifier: Apache-2.0
//
// The definition of type_of<T>(): JSON codec, JSON Schema and layout hash of described structs.
// Heavy (Boost.JSON, Boost.Describe): include it in one .cpp of a plugin, next to
//   GANTRY_INSTANTIATE(MyRequest)
//
// JSON form: members by their C++ names; enums by name; optional members are left out when empty;
// Buffer is base64 text; Json is inserted as it is; integers are exact (64 bit); a double keeps its
// value exactly and its form (1.0, not 1), and is null when it is not finite. Text that is not
// UTF-8 gets replacement characters. Reading is strict RFC 8259: one value, UTF-8 (no lone
// surrogates, no byte order mark), at most 64 levels, no number that a double cannot hold. Unknown
// members are ignored, missing and null ones keep their defaults, of a repeated member the last one
// counts; a wrong type, an unknown enumerator or an integer out of range is refused with its path.
#pragma once

#include <gantry/contract.hpp>
#include <gantry/json.hpp>
#include <gantry/layout.hpp>
#include <gantry/media.hpp>

#include <boost/describe/enum_to_string.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace gantry::codec {

// ---- non-template support, in sdk/src/codec.cpp -------------------------------------------------

void write_string(std::string& out, std::string_view text);
void write_double(std::string& out, double value);
void write_integer(std::string& out, std::int64_t value);
void write_unsigned(std::string& out, std::uint64_t value);
void write_base64(std::string& out, std::span<const std::uint8_t> bytes);
/// The decoded bytes, or an error text.
Result<std::vector<std::uint8_t>> read_base64(std::string_view text);
/// Text of a parsed value: numbers as above, members in the order of the document.
std::string serialize(const boost::json::value& value);
/// "a number", "an object", … for messages.
std::string_view kind_of(const boost::json::value& value);

/// Where in the document a decoder stands; knows how to write itself as "$.windows[3].pid".
struct Path {
  const Path* parent = nullptr;
  std::string_view member{};
  std::size_t index = 0;
  [[nodiscard]] std::string text() const;
};

Error wrong_type(const Path& path, std::string_view expected, const boost::json::value& found);
Error bad_value(const Path& path, std::string_view what);
Result<std::int64_t> read_signed(const boost::json::value&, const Path&, std::int64_t low,
                                 std::int64_t high);
Result<std::uint64_t> read_unsigned(const boost::json::value&, const Path&, std::uint64_t high);
Result<double> read_double(const boost::json::value&, const Path&);
/// Parses and hands the value over while it lives. Errors say where in the text it went wrong.
Result<void> with_parsed(std::string_view json,
                         Result<void> (*use)(void* state, const boost::json::value&), void* state);

// ---- writing ------------------------------------------------------------------------------------

template <class T>
void write(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (DescribedEnum<T>) {
    write_string(out, boost::describe::enum_to_string(value, "unknown"));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    write_integer(out, value);
  } else if constexpr (std::is_integral_v<T>) {
    write_unsigned(out, value);
  } else if constexpr (std::is_floating_point_v<T>) {
    write_double(out, static_cast<double>(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    write_string(out, value);
  } else if constexpr (std::is_same_v<T, Buffer>) {
    write_base64(out, value.bytes());
  } else if constexpr (std::is_same_v<T, Json>) {
    out += value.text.empty() ? std::string_view("null") : std::string_view(value.text);
  } else if constexpr (IsOptional<T>::value) {
    if (value) {
      write(out, *value);
    } else {
      out += "null";
    }
  } else if constexpr (IsVector<T>::value) {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i != 0) out += ',';
      write<typename T::value_type>(out, value[i]);
    }
    out += ']';
  } else if constexpr (IsStringMap<T>::value) {
    out += '{';
    bool first = true;
    for (const auto& [key, element] : value) {
      if (!std::exchange(first, false)) out += ',';
      write_string(out, key);
      out += ':';
      write(out, element);
    }
    out += '}';
  } else {
    static_assert(Described<T>, "this type cannot be part of a contract");
    out += '{';
    bool first = true;
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
      const auto& field = value.*member.pointer;
      if constexpr (IsOptional<std::remove_cvref_t<decltype(field)>>::value) {
        if (!field) return;
      }
      out += std::exchange(first, false) ? "\"" : ",\"";
      out += member.name;
      out += "\":";
      write(out, field);
    });
    out += '}';
  }
}

// ---- reading ------------------------------------------------------------------------------------

template <class T>
Result<void> read(T& out, const boost::json::value& in, const Path& path);

template <class T>
Result<void> read_number(T& out, const boost::json::value& in, const Path& path) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    GANTRY_ASSIGN(const double number, read_double(in, path));
    if (std::abs(number) > static_cast<double>(Limits::max())) {
      return bad_value(path, "the number is too large");
    }
    out = static_cast<T>(number);
  } else if constexpr (std::is_signed_v<T>) {
    GANTRY_ASSIGN(const std::int64_t number, read_signed(in, path, Limits::min(), Limits::max()));
    out = static_cast<T>(number);
  } else {
    GANTRY_ASSIGN(const std::uint64_t number, read_unsigned(in, path, Limits::max()));
    out = static_cast<T>(number);
  }
  return {};
}

template <class T>
Result<void> read_enum(T& out, const boost::json::value& in, const Path& path) {
  const auto* text = in.if_string();
  if (text == nullptr) return wrong_type(path, "a name", in);
  bool found = false;
  std::string names;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto e) {
    if (std::string_view(text->data(), text->size()) == e.name) {
      out = e.value;
      found = true;
    }
    if (!found) (names += names.empty() ? "" : ", ") += e.name;
  });
  if (!found) return bad_value(path, "expected one of " + names);
  return {};
}

template <class T>
Result<void> read_vector(T& out, const boost::json::value& in, const Path& path) {
  const auto* array = in.if_array();
  if (array == nullptr) return wrong_type(path, "an array", in);
  out.clear();
  out.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    typename T::value_type element{};
    const Path at{&path, {}, i};
    GANTRY_TRY(read(element, (*array)[i], at));
    out.push_back(std::move(element));
  }
  return {};
}

template <class T>
Result<void> read_struct(T& out, const boost::json::value& in, const Path& path) {
  const auto* object = in.if_object();
  if (object == nullptr) return wrong_type(path, "an object", in);
  Result<void> result;
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    if (!result.ok()) return;
    const boost::json::value* field = object->if_contains(member.name);
    if (field == nullptr || field->is_null()) return;
    const Path at{&path, member.name, 0};
    result = read(out.*member.pointer, *field, at);
  });
  return result;
}

template <class T>
Result<void> read(T& out, const boost::json::value& in, const Path& path) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!in.is_bool()) return wrong_type(path, "true or false", in);
    out = in.get_bool();
  } else if constexpr (DescribedEnum<T>) {
    return read_enum(out, in, path);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return read_number(out, in, path);
  } else if constexpr (std::is_same_v<T, std::string>) {
    const auto* text = in.if_string();
    if (text == nullptr) return wrong_type(path, "a string", in);
    out.assign(text->data(), text->size());
  } else if constexpr (std::is_same_v<T, Buffer>) {
    const auto* text = in.if_string();
    if (text == nullptr) return wrong_type(path, "base64 text", in);
    auto bytes = read_base64({text->data(), text->size()});
    if (!bytes.ok()) return bad_value(path, bytes.error().message);
    out = Buffer::of(std::move(bytes).value());
  } else if constexpr (std::is_same_v<T, Json>) {
    out = Json(serialize(in));
  } else if constexpr (IsOptional<T>::value) {
    if (in.is_null()) {
      out.reset();
    } else {
      typename T::value_type inner{};
      GANTRY_TRY(read(inner, in, path));
      out = std::move(inner);
    }
  } else if constexpr (IsVector<T>::value) {
    return read_vector(out, in, path);
  } else if constexpr (IsStringMap<T>::value) {
    const auto* object = in.if_object();
    if (object == nullptr) return wrong_type(path, "an object", in);
    out.clear();
    for (const auto& [key, element] : *object) {
      const Path at{&path, {key.data(), key.size()}, 0};
      GANTRY_TRY(read(out[std::string(key)], element, at));
    }
  } else {
    static_assert(Described<T>, "this type cannot be part of a contract");
    return read_struct(out, in, path);
  }
  return {};
}

// ---- schema and weight -------------------------------------------------------------------------

/// The bare name of T, from the compiler's own spelling.
template <class T>
std::string_view type_name() {
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("T = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  const auto colon = name.rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

/// Appends the JSON Schema of T. A struct that is met inside itself becomes a reference when it is
/// the document's root, else true (anything).
template <class T>
void write_schema(std::string& out, const HashScope* scope = nullptr) {
  if constexpr (std::is_same_v<T, bool>) {
    out += R"({"type":"boolean"})";
  } else if constexpr (DescribedEnum<T>) {
    out += R"({"enum":[)";
    bool first = true;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto e) {
      if (!std::exchange(first, false)) out += ',';
      write_string(out, e.name);
    });
    out += "]}";
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    out += R"({"type":"integer","minimum":)";
    write(out, Limits::min());
    out += R"(,"maximum":)";
    write(out, Limits::max());
    out += '}';
  } else if constexpr (std::is_floating_point_v<T>) {
    out += R"({"type":"number"})";
  } else if constexpr (std::is_same_v<T, std::string>) {
    out += R"({"type":"string"})";
  } else if constexpr (std::is_same_v<T, Buffer>) {
    out += R"({"type":"string","contentEncoding":"base64"})";
  } else if constexpr (std::is_same_v<T, Json>) {
    out += "true";
  } else if constexpr (IsOptional<T>::value) {
    write_schema<typename T::value_type>(out, scope);
  } else if constexpr (IsVector<T>::value) {
    out += R"({"type":"array","items":)";
    write_schema<typename T::value_type>(out, scope);
    out += '}';
  } else if constexpr (IsStringMap<T>::value) {
    out += R"({"type":"object","additionalProperties":)";
    write_schema<typename T::mapped_type>(out, scope);
    out += '}';
  } else {
    static_assert(Described<T>, "this type cannot be part of a contract");
    for (const HashScope* s = scope; s != nullptr; s = s->outer) {
      if (s->type == &kTypeTag<T>) {
        out += s->outer == nullptr ? R"({"$ref":"#"})" : "true";
        return;
      }
    }
    const HashScope inner{scope, &kTypeTag<T>};
    out += '{';
    if (scope == nullptr) {
      out += R"("$schema":"https://json-schema.org/draft/2020-12/schema","title":)";
      write_string(out, type_name<T>());
      out += ',';
    }
    out += R"("type":"object","properties":{)";
    bool first = true;
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
      using Member = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
      if (!std::exchange(first, false)) out += ',';
      write_string(out, member.name);
      out += ':';
      write_schema<Member>(out, &inner);
    });
    out += "}}";
  }
}

/// Bytes that `value` keeps besides sizeof(T), roughly.
template <class T>
std::size_t extra_bytes(const T& value) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Buffer>) {
    return value.size();
  } else if constexpr (std::is_same_v<T, Json>) {
    return value.text.size();
  } else if constexpr (IsOptional<T>::value) {
    return value ? extra_bytes(*value) : 0;
  } else if constexpr (IsVector<T>::value) {
    std::size_t sum = value.size() * sizeof(typename T::value_type);
    if constexpr (!std::is_arithmetic_v<typename T::value_type>) {
      for (const auto& element : value) sum += extra_bytes(element);
    }
    return sum;
  } else if constexpr (IsStringMap<T>::value) {
    std::size_t sum = 0;
    for (const auto& [key, element] : value) {
      sum += key.size() + sizeof(typename T::value_type) + extra_bytes(element);
    }
    return sum;
  } else if constexpr (Described<T>) {
    std::size_t sum = 0;
    boost::mp11::mp_for_each<Members<T>>(
        [&](auto member) { sum += extra_bytes(value.*member.pointer); });
    return sum;
  } else {
    return 0;
  }
}

}  // namespace gantry::codec

namespace gantry {

template <class T>
std::string to_json(const T& value) {
  std::string out;
  codec::write(out, value);
  return out;
}

template <class T>
Result<T> from_json(std::string_view json) {
  T value{};
  GANTRY_TRY(codec::with_parsed(
      json,
      [](void* state, const boost::json::value& parsed) {
        return codec::read(*static_cast<T*>(state), parsed, codec::Path{});
      },
      &value));
  return value;
}

template <class T>
const gantry_type& type_of() {
  static const gantry_type type = [] {
    gantry_type t{};
    t.size = sizeof t;
    t.name = to_str(codec::type_name<T>());
    t.layout_hash = codec::mix(codec::layout_hash<T>(), codec::type_name<T>());
    t.encode = [](const void* object, gantry_buf* out) noexcept -> gantry_status {
      try {
        *out = Buffer::of(to_json(*static_cast<const T*>(object))).detach();
        return GANTRY_OK;
      } catch (...) {
        return GANTRY_RESOURCE_EXHAUSTED;
      }
    };
    t.decode = [](gantry_str json, const gantry_body** out,
                  gantry_error* error) noexcept -> gantry_status {
      try {
        auto value = from_json<T>(view(json));
        if (!value.ok()) {
          *error = export_error(value.error());
          return error->code;
        }
        *out = make_body<T>(std::move(value).value()).detach();
        return GANTRY_OK;
      } catch (...) {
        return GANTRY_RESOURCE_EXHAUSTED;
      }
    };
    t.schema = []() -> gantry_str {
      static const std::string text = [] {
        std::string s;
        codec::write_schema<T>(s);
        return s;
      }();
      return to_str(text);
    };
    t.weight = [](const void* object) -> std::size_t {
      return sizeof(T) + codec::extra_bytes(*static_cast<const T*>(object));
    };
    return t;
  }();
  return type;
}

}  // namespace gantry

/// Makes type_of, to_json and from_json of a type available to the other files of a plugin.
#define GANTRY_INSTANTIATE(Type)                           \
  template const gantry_type& gantry::type_of<Type>();     \
  template std::string gantry::to_json<Type>(const Type&); \
  template gantry::Result<Type> gantry::from_json<Type>(std::string_view);
