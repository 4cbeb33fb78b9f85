// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/told.hpp>
#include <gantry/outside_text.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace gantry::http {
namespace {

constexpr std::string_view kHidden = "***";

bool looks_like_key(std::string_view word) {
  constexpr std::array<std::string_view, 6> kBegins{"sk-", "sk_", "AIza", "Bearer", "key-", "xai-"};
  return word.size() >= 12 && std::any_of(kBegins.begin(), kBegins.end(),
                                          [&](auto begin) { return word.starts_with(begin); });
}

std::string without(std::string_view words, std::string_view key) {
  std::string out(words);
  for (std::size_t at = 0; !key.empty() && (at = out.find(key, at)) != std::string::npos;) {
    out.replace(at, key.size(), kHidden);
    at += kHidden.size();  // a key may be a star itself
  }
  return out;
}

}  // namespace

std::string told_words(std::string_view words, std::string_view key, std::size_t most) {
  // Before the key is looked for: a mark within it would hide it.
  const std::string whole = without(strip_terminal_controls(words), key);
  std::string out;
  for (std::size_t begin = 0; begin < whole.size();) {
    const auto in_word = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(whole[i]);
      return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '*';
    };
    std::size_t end = begin;
    while (end < whole.size() && in_word(end)) ++end;
    const std::string_view word = std::string_view(whole).substr(begin, end - begin);
    out += looks_like_key(word) ? kHidden : word;
    if (end < whole.size()) out += static_cast<unsigned char>(whole[end]) < 0x20 ? ' ' : whole[end];
    begin = end + 1;
  }
  if (out.size() > most) {
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80) --end;
    out.resize(end);
    out += "…";
  }
  return out;
}

}  // namespace gantry::http
