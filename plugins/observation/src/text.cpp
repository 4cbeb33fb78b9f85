// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <wctype.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace gantry::observation {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code = kReplacement;
  std::size_t length = 1;
};

/// Decodes the code point at `at`; overlong forms, surrogates and truncated input give U+FFFD for
/// one byte, so that decoding always advances and never joins unrelated bytes.
Decoded decode_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  struct Form {
    unsigned mask, tag, length;
    char32_t least;
  };
  static constexpr std::array<Form, 3> kForms{
      {{0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}}};
  for (const Form& form : kForms) {
    if ((lead & form.mask) != form.tag) continue;
    if (at + form.length > text.size()) return {};
    char32_t code = lead & ~form.mask & 0xFFU;
    for (unsigned i = 1; i < form.length; ++i) {
      if ((byte(at + i) & 0xC0U) != 0x80U) return {};
      code = (code << 6U) | (byte(at + i) & 0x3FU);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < form.least || surrogate || code > 0x10FFFF) return {};
    return {code, form.length};
  }
  return {};
}

constexpr std::size_t kLongestSequence = 4;

/// Writes at most kLongestSequence bytes; returns where they end.
char* write_utf8(char* out, char32_t code) {
  const auto put = [&out](char32_t bits) { *out++ = static_cast<char>(bits); };
  const auto next = [&](unsigned shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    put(code);
    return out;
  }
  if (code < 0x800) {
    put(0xC0U | (code >> 6U));
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    next(6);
  } else {
    put(0xF0U | (code >> 18U));
    next(12);
    next(6);
  }
  next(0);
  return out;
}

/// Character classes must not depend on the locale the daemon was started in.
locale_t unicode_locale() {
  static const locale_t kLocale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kLocale;
}

struct CodePointRange {
  char32_t first, last;
};

/// Characters that C.UTF-8 calls printable but Python does not: separators and format characters.
constexpr std::array<CodePointRange, 24> kUnprintable{
    {{0xA0, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
     {0x1680, 0x1680},   {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},
     {0x205F, 0x206F},   {0x3000, 0x3000},   {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},
     {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F},
     {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}, {0xF0000, 0x10FFFF}}};

void append_escaped(std::string& out, char32_t c) {
  const auto sink = std::back_inserter(out);
  const auto code = static_cast<unsigned>(c);
  if (code <= 0xFF) {
    fmt::format_to(sink, "\\x{:02x}", code);
  } else if (code <= 0xFFFF) {
    fmt::format_to(sink, "\\u{:04x}", code);
  } else {
    fmt::format_to(sink, "\\U{:08x}", code);
  }
}

}  // namespace

char32_t take_code_point(std::string_view& text) {
  const Decoded first = decode_at(text, 0);
  text.remove_prefix(first.length);
  return first.code;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode_at(text, at);
    out.push_back(next.code);
    at += next.length;
  }
  return out;
}

std::string encode_utf8(std::u32string_view text) {
  std::string out(kLongestSequence * text.size(), '\0');
  char* end = out.data();
  for (const char32_t c : text) end = write_utf8(end, c);
  out.resize(static_cast<std::size_t>(end - out.data()));
  return out;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode_at(text, at).length) ++count;
  return count;
}

std::string_view first_code_points(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += decode_at(text, at).length;
  return text.substr(0, at);
}

std::string shorten(std::string_view text, std::size_t limit, std::size_t keep) {
  if (first_code_points(text, limit).size() == text.size()) return std::string(text);
  return std::string(first_code_points(text, keep)) + "…";
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string to_lower(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; })) {
    std::string out(text);  // most titles are plain
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return out;
  }
  std::string out(kLongestSequence * text.size(), '\0');
  char* end = out.data();
  while (!text.empty()) {
    const char32_t c = take_code_point(text);
    if (c < 0x80) {  // most are, and asking the locale takes ten times as long
      *end++ = static_cast<char>(c >= U'A' && c <= U'Z' ? c + (U'a' - U'A') : c);
    } else {
      end = write_utf8(end,
                       static_cast<char32_t>(towlower_l(static_cast<wint_t>(c), unicode_locale())));
    }
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
  return out;
}

void append_hex(std::string& out, std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const unsigned char byte : bytes) {
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 0xFU]);
  }
}

std::string python_repr(std::string_view text) {
  const bool double_quoted =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = double_quoted ? '"' : '\'';
  std::string out(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode_at(text, at);
    at += next.length;
    switch (next.code) {
      case U'\n': out += "\\n"; break;
      case U'\r': out += "\\r"; break;
      case U'\t': out += "\\t"; break;
      case U'\\': out += "\\\\"; break;
      default:
        if (next.code == static_cast<char32_t>(quote)) {
          out.push_back('\\');
          out.push_back(quote);
        } else if (is_printable(next.code)) {
          out += encode_utf8({&next.code, 1});
        } else {
          append_escaped(out, next.code);
        }
    }
  }
  out.push_back(quote);
  return out;
}

std::u32string flatten_whitespace(std::u32string_view text) {
  std::u32string out;
  bool pending_space = false;
  for (const char32_t c : text) {
    if (is_space(c)) {
      pending_space = !out.empty();
      continue;
    }
    if (pending_space) out.push_back(U' ');
    pending_space = false;
    out.push_back(c);
  }
  return out;
}

bool is_space(char32_t c) {
  constexpr std::array<CodePointRange, 10> kSpaces{{{0x09, 0x0D},
                                                    {0x1C, 0x20},
                                                    {0x85, 0x85},
                                                    {0xA0, 0xA0},
                                                    {0x1680, 0x1680},
                                                    {0x2000, 0x200A},
                                                    {0x2028, 0x2029},
                                                    {0x202F, 0x202F},
                                                    {0x205F, 0x205F},
                                                    {0x3000, 0x3000}}};
  return std::any_of(kSpaces.begin(), kSpaces.end(),
                     [c](const CodePointRange& r) { return c >= r.first && c <= r.last; });
}

bool is_word_character(char32_t c) {
  return c == U'_' || is_digit(c) || iswalnum_l(static_cast<wint_t>(c), unicode_locale()) != 0;
}

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

bool is_printable(char32_t c) {
  if (c < 0x7F) return c >= 0x20;
  const bool excluded =
      std::any_of(kUnprintable.begin(), kUnprintable.end(),
                  [c](const CodePointRange& r) { return c >= r.first && c <= r.last; });
  return !excluded && iswprint_l(static_cast<wint_t>(c), unicode_locale()) != 0;
}

}  // namespace gantry::observation
