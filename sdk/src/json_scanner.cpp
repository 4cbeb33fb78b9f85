// SPDX-License-Identifier: Apache-2.0
#include "json_scanner.hpp"

#include <gantry/codec.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <gantry/utf8.hpp>

#include "plain_text.hpp"

namespace gantry::codec {

namespace {

/// What the letter after a backslash stands for; 0: there is no such escape.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> meanings{};
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    meanings[static_cast<unsigned char>(kLetters[i])] = kMeanings[i];
  }
  return meanings;
}();

/// Writes one code point and returns the end.
char* put_utf8(char* out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    *out++ = static_cast<char>(0x80U | (code >> shift & 0x3FU));
  };
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xC0U | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xE0U | code >> 12);
    tail(6);
    tail(0);
  } else {
    *out++ = static_cast<char>(0xF0U | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Power of ten of the first digit that counts in a number such as -12.5e3 (here 4); only its sign
/// matters, to tell a number that is too large from one that is too small.
std::int64_t magnitude(std::string_view number) {
  if (number.front() == '-') number.remove_prefix(1);
  const auto e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view text = number.substr(e + 1);
    const bool negative = text.front() == '-';
    if (negative || text.front() == '+') text.remove_prefix(1);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
    // Far beyond every digit there can be, and far from where adding them would overflow.
    if (read.ec != std::errc{} || exponent > INT32_MAX) exponent = INT32_MAX;
    if (negative) exponent = -exponent;
  }
  const auto point = std::min(digits.find('.'), digits.size());
  const auto first = digits.find_first_of("123456789");
  const auto before = static_cast<std::int64_t>(point);
  const auto at = static_cast<std::int64_t>(std::min(first, digits.size()));
  return exponent + (at < before ? before - at : before + 1 - at);
}

}  // namespace

Error Scanner::error() const {
  std::string message = "not valid JSON: ";
  message += what_;
  message += " at byte ";
  write_unsigned(message, static_cast<std::uint64_t>(at_ - begin_));
  message += " of ";
  write_unsigned(message, size());
  return invalid_argument(std::move(message));
}

/// Moves to the quote or backslash that ends a run of characters that stand for themselves.
bool Scanner::skip_plain() {
  while (true) {
    while (end_ - at_ >= 8) {
      const std::size_t plain = plain_prefix(at_);
      at_ += plain;
      if (plain != 8) break;
    }
    if (at_ == end_) return fail("the text ends inside a string");
    const auto byte = static_cast<std::uint8_t>(*at_);
    if (byte == '"' || byte == '\\') return true;
    if (byte < 0x20) return fail("a control character inside a string");
    if (byte < 0x80) ++at_;
    // Letters that are not ASCII come in rows.
    while (at_ != end_ && static_cast<std::uint8_t>(*at_) >= 0x80) {
      const std::size_t length = utf8_length({at_, end_});
      if (length == 0) return fail("a string that is not UTF-8");
      at_ += length;
    }
  }
}

bool Scanner::scan_text() {
  const char* run = ++at_;
  if (!skip_plain()) return false;
  if (*at_ == '"') {
    text_ = {run, static_cast<std::size_t>(at_ - run)};
    ++at_;
    return true;
  }
  if (scratch_ == nullptr) make_scratch();
  out_ = scratch_;
  put_run(run);
  while (*at_ != '"') {
    if (!scan_escape()) return false;
    run = at_;
    if (!skip_plain()) return false;
    put_run(run);
  }
  ++at_;
  text_ = {scratch_, static_cast<std::size_t>(out_ - scratch_)};
  return true;
}

/// An escape is never shorter than what it means, so as much as the document is room enough.
void Scanner::make_scratch() {
  scratch_ = small_scratch_.data();
  if (size() + kShortRun <= small_scratch_.size()) return;
  large_scratch_ = std::make_unique_for_overwrite<char[]>(size() + kShortRun);
  scratch_ = large_scratch_.get();
}

void Scanner::put_run(const char* run) {
  const auto length = static_cast<std::size_t>(at_ - run);
  // Between escapes runs are short; a fixed number of bytes is copied without a call.
  if (length <= kShortRun && end_ - run >= static_cast<std::ptrdiff_t>(kShortRun)) {
    std::memcpy(out_, run, kShortRun);
  } else {
    std::memcpy(out_, run, length);
  }
  out_ += length;
}

bool Scanner::scan_escape() {
  if (++at_ == end_) return fail("the text ends inside a string");
  if (*at_ == 'u') {
    ++at_;
    return scan_unicode();
  }
  const char meaning = kEscapes[static_cast<unsigned char>(*at_)];
  if (meaning == 0) return fail("an unknown escape");
  *out_++ = meaning;
  ++at_;
  return true;
}

bool Scanner::scan_unicode() {
  std::uint32_t code = 0;
  if (!scan_hex(code)) return false;
  if (code >= 0xDC00 && code <= 0xDFFF) return fail("half of a surrogate pair");
  if (code >= 0xD800 && code <= 0xDBFF) {
    std::uint32_t low = 0;
    if (!take('\\') || !take('u')) return fail("half of a surrogate pair");
    if (!scan_hex(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return fail("half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  out_ = put_utf8(out_, code);
  return true;
}

bool Scanner::scan_hex(std::uint32_t& code) {
  if (end_ - at_ < 4) return fail("the text ends inside a string");
  const auto read = std::from_chars(at_, at_ + 4, code, 16);
  if (read.ptr != at_ + 4) return fail("\\u needs four hexadecimal digits");
  at_ += 4;
  return true;
}

bool Scanner::skip_digits() {
  const char* first = at_;
  while (at_ != end_ && is_digit(*at_)) ++at_;
  return at_ != first;
}

bool Scanner::scan_number(Number& number) {
  const char* first = at_;
  const bool negative = take('-');
  const char* digits = at_;
  std::uint64_t value = 0;  // right while it is of at most 19 digits
  for (; at_ != end_ && is_digit(*at_); ++at_) {
    value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
  }
  if (at_ == digits) return fail(digits == first ? "not a value" : "a digit is missing");
  if (*digits == '0' && at_ - digits > 1) return fail("a number with a leading zero");
  const bool more = at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E');
  constexpr std::ptrdiff_t kSurely = 18;  // digits that fit into 63 bits
  if (more || at_ - digits > kSurely) return scan_long_number(first, number);
  number.form = Number::Form::integer;
  number.integer = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  return true;
}

/// Behind the digits of what begins at `first`.
bool Scanner::scan_long_number(const char* first, Number& number) {
  bool whole = true;
  if (take('.')) {
    whole = false;
    if (!skip_digits()) return fail("a digit is missing");
  }
  if (take('e') || take('E')) {
    whole = false;
    if (!take('+')) take('-');
    if (!skip_digits()) return fail("a digit is missing");
  }
  number.form = Number::Form::integer;
  if (whole && std::from_chars(first, at_, number.integer).ec == std::errc{}) return true;
  number.form = Number::Form::large;
  if (whole && *first != '-' && std::from_chars(first, at_, number.large).ec == std::errc{}) {
    return true;
  }
  number.form = Number::Form::real;
  if (std::from_chars(first, at_, number.real).ec == std::errc::result_out_of_range) {
    if (magnitude({first, at_}) > 0) return fail("a number that no double can hold");
    number.real = *first == '-' ? -0.0 : 0.0;
  }
  return true;
}

}  // namespace gantry::codec
