// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

namespace gantry::vision_ground {
namespace {

/// Marks that open and close what is meant as it stands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kQuotes{
    {{"\"", "\""},
     {"'", "'"},
     {"`", "`"},
     {"\u201c", "\u201d"},
     {"\u201e", "\u201c"},
     {"\u2018", "\u2019"},
     {"\u00ab", "\u00bb"}}};

bool is_blank(char c) { return static_cast<std::uint8_t>(c) <= 0x20 || c == 0x7f; }

bool is_punctuation(char c) {
  return static_cast<std::uint8_t>(c) < 0x80 && std::ispunct(static_cast<std::uint8_t>(c)) != 0;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(out[i]);
    if (byte < 0x80) {
      out[i] = static_cast<char>(std::tolower(byte));
    } else if (byte == 0xC3 && i + 1 < out.size()) {
      // U+00C0 to U+00DE are 32 below their small letters; U+00D7 is a sign.
      const auto next = static_cast<std::uint8_t>(out[i + 1]);
      if (next >= 0x80 && next <= 0x9E && next != 0x97) out[i + 1] = static_cast<char>(next + 0x20);
    }
  }
  return out;
}

/// Signs such as + or ... alone are words; around letters they are none.
std::string_view trimmed(std::string_view word) {
  std::string_view out = word;
  while (!out.empty() && is_punctuation(out.front())) out.remove_prefix(1);
  while (!out.empty() && is_punctuation(out.back())) out.remove_suffix(1);
  if (!out.empty()) {
    if (out.size() + 2 <= word.size() && word.substr(word.size() - 2) == "++") return word;  // C++
    return out;
  }
  return word;
}

/// The quoted text that begins at `at`, and where it ends; nothing when no quote does.
bool take_quoted(std::string_view text, std::size_t& at, std::string& out) {
  if (at > 0 && !is_blank(text[at - 1]) && text[at - 1] != '(') return false;
  for (const auto& [open, close] : kQuotes) {
    if (text.substr(at, open.size()) != open) continue;
    const std::size_t begin = at + open.size();
    for (std::size_t end = text.find(close, begin); end != std::string_view::npos;
         end = text.find(close, end + 1)) {
      const std::size_t after = end + close.size();
      const bool ends =
          after >= text.size() || is_blank(text[after]) || is_punctuation(text[after]);
      if (!ends || end == begin) continue;
      out = std::string(text.substr(begin, end - begin));
      at = after;
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Word> words_of(std::string_view description) {
  std::vector<Word> out;
  for (std::size_t at = 0; at < description.size();) {
    if (is_blank(description[at])) {
      ++at;
      continue;
    }
    std::string quoted;
    if (take_quoted(description, at, quoted)) {
      std::string text = plain(quoted);
      if (!text.empty()) out.push_back({std::move(text), true});
      continue;
    }
    std::size_t end = at;
    while (end < description.size() && !is_blank(description[end])) ++end;
    out.push_back({lower(trimmed(description.substr(at, end - at))), false});
    at = end;
  }
  return out;
}

std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end])) ++end;
    out += (out.empty() ? "" : " ") + lower(trimmed(text.substr(at, end - at)));
    at = end;
  }
  return out;
}

std::string joined(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) out += (out.empty() ? "" : " ") + word.text;
  return out;
}

}  // namespace gantry::vision_ground
