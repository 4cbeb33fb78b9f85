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
#include <gantry/descriptor.hpp>
#include <gantry/json.hpp>
#include <gantry/media.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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

// ---- by descriptor, in sdk/src/descriptor.cpp
// -----------------------------------------------------

/// Appends the JSON text of the object of that type.
void write(std::string& out, const Descriptor& type, const void* object);
/// Reads into an object of that type, which has its defaults; after an error it holds a part.
Result<void> read(const Descriptor& type, void* object, const boost::json::value& in,
                  const Path& path);
/// The same from text, which is the whole document.
Result<void> read_text(const Descriptor& type, void* object, std::string_view json);
/// The same in one pass, without a document in between. False: it cannot be read, or not this way
/// (a repeated member); read_text() with an object that has its defaults then tells.
bool read_straight(const Descriptor& type, void* object, std::string_view json) noexcept;
/// The JSON Schema of a type. A struct that is met inside itself becomes a reference when it is the
/// document's root, else true (anything).
std::string schema_text(const Descriptor& type);
/// Bytes that the object keeps besides its size, roughly.
std::size_t extra_bytes(const Descriptor& type, const void* object);
/// What encode of gantry_type does.
gantry_status encode(const Descriptor& type, const void* object, gantry_buf* out) noexcept;

/// Reads one text by the way that does: straight, and when that fails through values, which know
/// what is wrong. Each try wants an object of its own, with its defaults.
class TextReader {
 public:
  TextReader(const Descriptor& type, std::string_view json) : type_(type), json_(json) {}

  /// False: try again unless failed().
  bool read(void* object);
  [[nodiscard]] bool failed() const { return failed_; }
  /// Once it failed.
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  const Descriptor& type_;
  std::string_view json_;
  bool tried_ = false;
  bool failed_ = false;
  Error error_;
};

template <class T>
void write(std::string& out, const T& value) {
  write(out, descriptor_of<T>(), &value);
}

template <class T>
Result<void> read(T& out, const boost::json::value& in, const Path& path) {
  return read(descriptor_of<T>(), &out, in, path);
}

}  // namespace gantry::codec

namespace gantry {

template <class T>
std::string to_json(const T& value) {
  std::string out;
  codec::write(out, codec::descriptor_of<T>(), &value);
  return out;
}

template <class T>
Result<T> from_json(std::string_view json) {
  codec::TextReader reader(codec::descriptor_of<T>(), json);
  do {
    T value{};
    if (reader.read(&value)) return value;
  } while (!reader.failed());
  return reader.error();
}

template <class T>
const gantry_type& type_of() {
  static const gantry_type type = [] {
    const codec::Descriptor& described = codec::descriptor_of<T>();
    gantry_type t{};
    t.size = sizeof t;
    t.name = to_str(codec::kTypeName<T>);
    t.layout_hash = codec::mix(codec::layout_hash(described), codec::kTypeName<T>);
    t.encode = [](const void* object, gantry_buf* out) noexcept -> gantry_status {
      return codec::encode(codec::descriptor_of<T>(), object, out);
    };
    t.decode = [](gantry_str json, const gantry_body** out,
                  gantry_error* error) noexcept -> gantry_status {
      try {
        codec::TextReader reader(codec::descriptor_of<T>(), view(json));
        do {
          T value{};
          if (!reader.read(&value)) continue;
          *out = make_body<T>(std::move(value)).detach();
          return GANTRY_OK;
        } while (!reader.failed());
        *error = export_error(reader.error());
        return error->code;
      } catch (...) {
        return GANTRY_RESOURCE_EXHAUSTED;
      }
    };
    t.schema = []() -> gantry_str {
      static const std::string text = codec::schema_text(codec::descriptor_of<T>());
      return to_str(text);
    };
    t.weight = [](const void* object) -> std::size_t {
      return sizeof(T) + codec::extra_bytes(codec::descriptor_of<T>(), object);
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
