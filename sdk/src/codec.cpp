// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "text_sink.hpp"

namespace gantry::codec {

namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> kBase64Value = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  for (std::size_t i = 0; i < kBase64.size(); ++i) {
    table[static_cast<std::uint8_t>(kBase64[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}();

}  // namespace

void write_string(std::string& out, std::string_view text) {
  TextSink sink(out);
  sink.put_string(text);
  sink.flush();
}

void write_double(std::string& out, double value) {
  TextSink sink(out);
  sink.put_double(value);
  sink.flush();
}

void write_integer(std::string& out, std::int64_t value) {
  TextSink sink(out);
  sink.put_signed(value);
  sink.flush();
}

void write_unsigned(std::string& out, std::uint64_t value) {
  TextSink sink(out);
  sink.put_unsigned(value);
  sink.flush();
}

void write_base64(std::string& out, std::span<const std::uint8_t> bytes) {
  const std::size_t start = out.size() + 1;
  out.resize(out.size() + 2 + (bytes.size() + 2) / 3 * 4, '"');
  char* to = out.data() + start;
  std::size_t i = 0;
  for (; i + 2 < bytes.size(); i += 3) {
    const unsigned word = unsigned{bytes[i]} << 16 | unsigned{bytes[i + 1]} << 8 | bytes[i + 2];
    *to++ = kBase64[word >> 18];
    *to++ = kBase64[word >> 12 & 63];
    *to++ = kBase64[word >> 6 & 63];
    *to++ = kBase64[word & 63];
  }
  if (const std::size_t left = bytes.size() - i; left != 0) {
    const unsigned word = unsigned{bytes[i]} << 16 | (left == 2 ? unsigned{bytes[i + 1]} << 8 : 0U);
    *to++ = kBase64[word >> 18];
    *to++ = kBase64[word >> 12 & 63];
    *to++ = left == 2 ? kBase64[word >> 6 & 63] : '=';
    *to++ = '=';
  }
}

Result<std::vector<std::uint8_t>> read_base64(std::string_view text) {
  if (text.size() % 4 != 0) return invalid_argument("base64 text must be a multiple of 4 long");
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t pad = !last ? 0 : text[i + 2] == '=' ? 2 : text[i + 3] == '=' ? 1 : 0;
    unsigned word = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const int value = k >= 4 - pad && text[i + k] == '='
                            ? 0
                            : kBase64Value[static_cast<std::uint8_t>(text[i + k])];
      if (value < 0) return invalid_argument("not base64 text");
      word = word << 6 | static_cast<unsigned>(value);
    }
    // Bits that padding cuts off must be zero, so that each byte string has one spelling.
    if ((pad == 1 && (word & 0xFFU) != 0) || (pad == 2 && (word & 0xFFFFU) != 0)) {
      return invalid_argument("not canonical base64 text");
    }
    bytes.push_back(static_cast<std::uint8_t>(word >> 16));
    if (pad < 2) bytes.push_back(static_cast<std::uint8_t>(word >> 8 & 0xFFU));
    if (pad < 1) bytes.push_back(static_cast<std::uint8_t>(word & 0xFFU));
  }
  return bytes;
}

std::string_view kind_of(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return "null";
    case boost::json::kind::bool_: return "a boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return "an integer";
    case boost::json::kind::double_: return "a number";
    case boost::json::kind::string: return "a string";
    case boost::json::kind::array: return "an array";
    case boost::json::kind::object: return "an object";
  }
  return "a value";
}

std::string Path::text() const {
  if (parent == nullptr) return "$";
  std::string out = parent->text();
  if (member.data() == nullptr) {
    out += '[';
    write_unsigned(out, index);
    out += ']';
    return out;
  }
  out += '.';
  // Keys of maps come from outside: quoted unless they are plain, and never endless.
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  constexpr std::size_t kLongest = 64;
  if (!member.empty() && member.size() <= kLongest &&
      std::all_of(member.begin(), member.end(), plain)) {
    out += member;
  } else {
    write_string(out, member.substr(0, kLongest));
  }
  return out;
}

Error wrong_type(const Path& path, std::string_view expected, const boost::json::value& found) {
  std::string what = "expected ";
  what += expected;
  what += ", found ";
  what += kind_of(found);
  return bad_value(path, what);
}

Error bad_value(const Path& path, std::string_view what) {
  return invalid_argument(path.text() + ": " + std::string(what));
}

Result<std::int64_t> read_signed(const boost::json::value& in, const Path& path, std::int64_t low,
                                 std::int64_t high) {
  std::int64_t number = 0;
  if (const auto* i = in.if_int64()) {
    number = *i;
  } else if (const auto* u = in.if_uint64()) {
    if (*u > static_cast<std::uint64_t>(high)) return bad_value(path, "the integer is too large");
    number = static_cast<std::int64_t>(*u);
  } else if (const auto* d = in.if_double()) {
    // 5.0 is an integer in JSON Schema's sense. Beyond 2^53 a double no longer says which one, and
    // what did not fit into 64 bits arrives as a double too.
    if (std::abs(*d) >= 9223372036854775808.0)
      return bad_value(path, "the integer is out of range");
    if (std::trunc(*d) != *d || std::abs(*d) > 9007199254740992.0) {
      return wrong_type(path, "an integer", in);
    }
    number = static_cast<std::int64_t>(*d);
  } else {
    return wrong_type(path, "an integer", in);
  }
  if (number < low || number > high) return bad_value(path, "the integer is out of range");
  return number;
}

Result<std::uint64_t> read_unsigned(const boost::json::value& in, const Path& path,
                                    std::uint64_t high) {
  if (const auto* u = in.if_uint64()) {
    if (*u > high) return bad_value(path, "the integer is too large");
    return *u;
  }
  const auto limit = static_cast<std::int64_t>(
      std::min<std::uint64_t>(high, static_cast<std::uint64_t>(INT64_MAX)));
  GANTRY_ASSIGN(const std::int64_t number, read_signed(in, path, 0, limit));
  return static_cast<std::uint64_t>(number);
}

Result<double> read_double(const boost::json::value& in, const Path& path) {
  if (const auto* d = in.if_double()) return *d;
  if (const auto* i = in.if_int64()) return static_cast<double>(*i);
  if (const auto* u = in.if_uint64()) return static_cast<double>(*u);
  if (in.is_null()) return std::numeric_limits<double>::quiet_NaN();  // as write_double() has it
  return wrong_type(path, "a number", in);
}

}  // namespace gantry::codec
