// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>

namespace gantry::agent_ws {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

/// Whether a byte goes on with a character that began before it.
bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool blank(std::string_view text) { return trimmed(text).empty(); }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !goes_on(c); }));
}

std::string beginning(std::string_view text, std::size_t bytes) {
  std::size_t end = std::min(bytes, text.size());
  while (end > 0 && end < text.size() && goes_on(text[end])) --end;
  return std::string(text.substr(0, end));
}

}  // namespace gantry::agent_ws
