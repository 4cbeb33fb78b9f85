// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>
#include <cstdint>

namespace gantry::agent {
namespace {

constexpr std::string_view kBlock = "tool_output";

bool continues(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0U) == 0x80; }

/// Lower-case ASCII, for comparing tags.
bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + 32) : x) == y;
         });
}

/// Puts a word between < and our block's name wherever the text has it, open or closed.
std::string disarmed(std::string text) {
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    std::size_t name = at + 1;
    name = std::min(text.find_first_not_of("/ \t\r\n", name), text.size());
    if (same_letters(std::string_view(text).substr(name, kBlock.size()), kBlock)) {
      text.insert(at + 1, "quoted ");
    }
  }
  return text;
}

}  // namespace

std::string_view cut_end(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && continues(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string cut_middle(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  const std::string_view head = cut_end(text, bytes * 2 / 3);
  std::size_t tail = text.size() - (bytes - head.size());
  while (tail < text.size() && continues(text[tail])) ++tail;
  return std::string(head) + "\n[… " + std::to_string(tail - head.size()) + " bytes left out …]\n" +
         std::string(text.substr(tail));
}

std::string untrusted_block(std::string_view tool, std::string_view text) {
  std::string name = visible_text(tool);
  std::replace(name.begin(), name.end(), '"', '\'');
  return "<" + std::string(kBlock) + " tool=\"" + name + "\" trust=\"untrusted\">\n" +
         disarmed(visible_text(text)) + "\n</" + std::string(kBlock) + ">";
}

bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace gantry::agent
