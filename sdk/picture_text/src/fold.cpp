// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture_text/fold.hpp>

#include <gantry/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gantry::picture_text {
namespace {

struct LowerRun {
  char32_t first;
  char32_t last;
  std::uint32_t step;
  std::int32_t added;
};
constexpr LowerRun kLower[] = {
#include "lower_table.inc"
};

struct Run {
  char32_t first;
  char32_t last;
};
constexpr Run kCased[] = {
#include "cased_table.inc"
};
constexpr Run kCaseIgnorable[] = {
#include "case_ignorable_table.inc"
};

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kCapitalSigma = 0x3A3;
constexpr char32_t kSigma = 0x3C3;
constexpr char32_t kFinalSigma = 0x3C2;
constexpr char32_t kCapitalDottedI = 0x130;
constexpr char32_t kDotAbove = 0x307;

template <class Table>
auto run_with(const Table& table, char32_t c) {
  const auto* const after =
      std::upper_bound(std::begin(table), std::end(table), c,
                       [](char32_t wanted, const auto& run) { return wanted < run.first; });
  const auto* const found = after == std::begin(table) ? nullptr : after - 1;
  return found != nullptr && c <= found->last ? found : nullptr;
}

bool is_cased(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return run_with(kCased, c) != nullptr;
}

char32_t lower_of(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  const LowerRun* const run = run_with(kLower, c);
  if (run == nullptr || (c - run->first) % run->step != 0) return c;
  return static_cast<char32_t>(static_cast<std::int64_t>(c) + run->added);
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

/// A sigma at the end of a word: behind a letter with a case, and before none.
bool ends_word(const std::u32string& text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && run_with(kCaseIgnorable, text[before - 1]) != nullptr) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = at + 1;
  while (after < text.size() && run_with(kCaseIgnorable, text[after]) != nullptr) ++after;
  return after == text.size() || !is_cased(text[after]);
}

struct Decoded {
  char32_t c;
  std::size_t length;
};

Decoded first_of(std::string_view text) {
  const std::size_t length = codec::utf8_length(text);
  if (length == 0) return {kReplacement, 1};
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (length == 1) return {byte(0), 1};
  char32_t c = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) c = c << 6U | (byte(i) & 0x3FU);
  return {c, length};
}

std::u32string points_of(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = first_of(text);
    out.push_back(next.c);
    text.remove_prefix(next.length);
  }
  return out;
}

}  // namespace

std::string_view stripped(std::string_view text) {
  while (!text.empty()) {
    const Decoded next = first_of(text);
    if (!is_space(next.c)) break;
    text.remove_prefix(next.length);
  }
  while (!text.empty()) {
    std::size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<std::uint8_t>(text[begin]) & 0xC0U) == 0x80U) --begin;
    if (!is_space(first_of(text.substr(begin)).c)) break;
    text = text.substr(0, begin);
  }
  return text;
}

std::u32string folded(std::string_view text) {
  const std::u32string points = points_of(stripped(text));
  std::u32string out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const char32_t c = points[i];
    if (c == kCapitalSigma) {
      out.push_back(ends_word(points, i) ? kFinalSigma : kSigma);
    } else if (c == kCapitalDottedI) {
      out.push_back('i');
      out.push_back(kDotAbove);
    } else {
      out.push_back(lower_of(c));
    }
  }
  return out;
}

std::string utf8_of(const std::u32string& text) {
  std::string out;
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  for (const char32_t c : text) {
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xC0U | c >> 6U), put(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
      put(0xE0U | c >> 12U), put(0x80U | (c >> 6U & 0x3FU)), put(0x80U | (c & 0x3FU));
    } else {
      put(0xF0U | c >> 18U), put(0x80U | (c >> 12U & 0x3FU));
      put(0x80U | (c >> 6U & 0x3FU)), put(0x80U | (c & 0x3FU));
    }
  }
  return out;
}

}  // namespace gantry::picture_text
