// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <gantry/utf8.hpp>

#include <algorithm>
#include <cstdint>

namespace gantry::agent {
namespace {

constexpr std::string_view kBlock = "tool_output";

bool continues(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0U) == 0x80; }

std::uint32_t code_point(std::string_view bytes) {
  const auto at = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i]));
  };
  switch (bytes.size()) {
    case 1: return at(0);
    case 2: return (at(0) & 0x1FU) << 6U | (at(1) & 0x3FU);
    case 3: return (at(0) & 0x0FU) << 12U | (at(1) & 0x3FU) << 6U | (at(2) & 0x3FU);
    default:
      return (at(0) & 0x07U) << 18U | (at(1) & 0x3FU) << 12U | (at(2) & 0x3FU) << 6U |
             (at(3) & 0x3FU);
  }
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
/// Unicode 15: controls, zero-width and direction marks, byte order mark, annotations, tags.
constexpr Range kHidden[] = {
    {0x00, 0x08},     {0x0B, 0x1F},     {0x7F, 0x9F},     {0x200B, 0x200F}, {0x202A, 0x202E},
    {0x2060, 0x2064}, {0x2066, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};

bool hidden(std::uint32_t point) {
  return std::any_of(std::begin(kHidden), std::end(kHidden), [point](const Range& range) {
    return point >= range.first && point <= range.last;
  });
}

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
    while (name < text.size() && (text[name] == '/' || text[name] == ' ')) ++name;
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

std::string visible_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = codec::utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    const std::string_view bytes = text.substr(0, length);
    if (!hidden(code_point(bytes))) out += bytes;
    text.remove_prefix(length);
  }
  return out;
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
