// SPDX-License-Identifier: Apache-2.0
#include "text_sink.hpp"

#include <gantry/codec.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <gantry/utf8.hpp>

#include "plain_text.hpp"

namespace gantry::codec {

namespace {

constexpr std::size_t kLongestNumber = 32;  // bytes, of any number as it is written here

bool is_plain(std::uint8_t byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/// Writes what stands for `c` and returns the end; at most six bytes.
char* put_escape(char* out, char c) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  *out++ = '\\';
  if (const auto known = kMeanings.find(c); known != std::string_view::npos) {
    *out++ = kLetters[known];
    return out;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  *out++ = 'u';
  *out++ = '0';
  *out++ = '0';
  *out++ = kHex[static_cast<std::uint8_t>(c) >> 4];
  *out++ = kHex[static_cast<std::uint8_t>(c) & 15];
  return out;
}

}  // namespace

void TextSink::put_long(std::string_view text) {
  flush();
  if (text.size() > buffer_.size()) {
    out_.append(text);
  } else {
    put(text);
  }
}

void TextSink::put_string(std::string_view text) {
  const char* from = text.data();
  const char* const end = from + text.size();
  put('"');
  while ((from = copy_plain(from, end)) != end) {
    constexpr std::size_t kOneAtATime = 8;  // bytes, that each step writes at most
    reserve(kOneAtATime);
    from = put_special(from, end);
  }
  put('"');
}

/// Copies what stands for itself, while there is room. Returns where it ended.
const char* TextSink::copy_plain(const char* from, const char* end) {
  const char* const first = from;
  char* at = at_;  // a member would be stored with each step
  std::size_t steps = std::min(room(), static_cast<std::size_t>(end - from));
#if defined(__SSE2__)
  for (; steps >= 16; steps -= 16) {
    const std::size_t plain = copy_sixteen(at, from);  // what is not plain is overwritten
    at += plain;
    from += plain;
    if (plain == 16) continue;
    at_ = at;
    return from;
  }
#endif
  for (; steps >= 8; steps -= 8) {
    std::memcpy(at, from, 8);
    const std::size_t plain = plain_prefix(from);
    at += plain;
    from += plain;
    if (plain == 8) continue;
    at_ = at;
    return from;
  }
  if (steps != 0 && from != first && steps == static_cast<std::size_t>(end - from) &&
      plain_prefix(end - 8) == 8) {
    // The last ones are copied together with those before them, once more.
    std::memcpy(at + steps - 8, end - 8, 8);
    at_ = at + steps;
    return end;
  }
  for (; steps != 0 && is_plain(static_cast<std::uint8_t>(*from)); --steps) *at++ = *from++;
  at_ = at;
  return from;
}

/// The character at `from`, which need not be special; and those behind it that are not ASCII,
/// because such letters come in rows. There is room for eight bytes.
const char* TextSink::put_special(const char* from, const char* end) {
  while (static_cast<std::uint8_t>(*from) >= 0x80) {
    const std::size_t length = utf8_length({from, end});
    if (length == 0) {
      put("\xEF\xBF\xBD");  // not UTF-8: the replacement character
      return from + 1;
    }
    std::memcpy(at_, from, length);
    at_ += length;
    from += length;
    if (from == end || room() < 8) return from;
  }
  if (is_plain(static_cast<std::uint8_t>(*from))) {
    *at_++ = *from;
  } else {
    at_ = put_escape(at_, *from);
  }
  return from + 1;
}

void TextSink::put_signed(std::int64_t value) {
  reserve(kLongestNumber);
  at_ = std::to_chars(at_, at_ + kLongestNumber, value).ptr;
}

void TextSink::put_unsigned(std::uint64_t value) {
  reserve(kLongestNumber);
  at_ = std::to_chars(at_, at_ + kLongestNumber, value).ptr;
}

void TextSink::put_double(double value) {
  if (!std::isfinite(value)) return put("null");
  reserve(kLongestNumber);
  const char* const first = at_;
  at_ = std::to_chars(at_, at_ + kLongestNumber, value).ptr;
  // It stays a double.
  if (std::string_view(first, at_).find_first_of(".e") == std::string_view::npos) put(".0");
}

}  // namespace gantry::codec
