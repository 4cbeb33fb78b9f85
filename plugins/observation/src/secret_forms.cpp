// SPDX-License-Identifier: Apache-2.0
#include "secret_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "text.hpp"

namespace gantry::observation {
namespace {

/// Bytes; what is shorter, and not the very secret, is a word like any other.
constexpr std::size_t kLeastOther = 6;
constexpr double kExact = 1e15;  // whole numbers below have one writing

/// The code point of an escape whose letter stands at `at`, and moves `at` behind it.
std::optional<char32_t> escaped(std::string_view text, std::size_t& at) {
  if (at >= text.size() || (text[at] != 'x' && text[at] != 'u')) return std::nullopt;
  const std::size_t digits = text[at] == 'x' ? 2 : 4;
  const bool braced = at + 1 < text.size() && text[at + 1] == '{';
  const std::size_t begin = at + (braced ? 2 : 1);
  const std::size_t close = braced ? text.find('}', begin) : begin + digits;
  if (close == std::string_view::npos || close > text.size() || close == begin) {
    return std::nullopt;
  }
  std::uint32_t code = 0;
  const char* const end = text.data() + close;
  const auto read = std::from_chars(text.data() + begin, end, code, 16);
  const bool scalar = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  if (read.ec != std::errc() || read.ptr != end || !scalar) return std::nullopt;
  at = close + (braced ? 1 : 0);
  return code;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      out.push_back(text[at++]);
    } else if (const auto code = escaped(text, ++at)) {
      const char32_t character = *code;
      out += encode_utf8({&character, 1});
    }
  }
  return out;
}

}  // namespace

std::string meant_text(std::string_view text) {
  std::string out = unescaped(readable_text(text));
  return may_hold_controls(out) ? readable_text(out) : out;
}

std::string number_form(std::string_view text) {
  const std::string_view number = trim(text);
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, value);
  if (number.empty() || read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) {
    return {};
  }
  const bool whole = std::abs(value) < kExact && std::trunc(value) == value;
  return whole ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{}", value);
}

SecretForms::SecretForms(std::string_view secret)
    : meant(meant_text(secret)), lower(to_lower(meant)), number(number_form(secret)) {
  const std::u32string letters = decode_utf8(meant);
  if (letters.empty()) return;
  for (const std::size_t from : {std::size_t{0}, std::size_t{1}}) {
    std::string rest = encode_utf8(std::u32string_view(letters).substr(from, letters.size() - 1));
    if (rest.size() >= kLeastOther) trimmed.push_back(std::move(rest));
  }
}

SearchedText::SearchedText(std::string_view text)
    : meant(meant_text(text)), lower(to_lower(meant)), number(number_form(text)) {}

bool SearchedText::holds(const SecretForms& secret, std::size_t least) const {
  const auto stands = [](const std::string& text, const std::string& form, std::size_t shortest) {
    return form.size() >= shortest && text.find(form) != std::string::npos;
  };
  return stands(meant, secret.meant, least) || stands(meant, secret.number, least) ||
         stands(lower, secret.lower, std::max(least, kLeastOther)) ||
         (secret.meant.size() >= least && !number.empty() && number == secret.number);
}

bool SearchedText::holds_trimmed(const SecretForms& secret) const {
  return std::any_of(secret.trimmed.begin(), secret.trimmed.end(), [this](const std::string& rest) {
    return meant.find(rest) != std::string::npos;
  });
}

}  // namespace gantry::observation
