// SPDX-License-Identifier: Apache-2.0
#include <gantry/outside_text.hpp>
#include <gantry/tools/text.hpp>
#include <gantry/utf8.hpp>

#include <cstdint>

namespace gantry::tools {
namespace {

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

bool hidden(std::uint32_t point) {
  if (point < 0x20) return point != '\t' && point != '\n';
  return (point >= 0x7F && point <= 0x9F) || takes_no_place(point);
}

}  // namespace

std::string repaired_utf8(std::string_view bytes, std::size_t* replaced) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = codec::utf8_length(bytes);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      bytes.remove_prefix(1);
      if (replaced != nullptr) ++*replaced;
      continue;
    }
    out += bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  return out;
}

std::size_t unfinished_utf8(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const auto byte = static_cast<std::uint8_t>(bytes[bytes.size() - back]);
    if ((byte & 0xC0U) == 0x80) continue;  // goes on: look for its beginning
    const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return wanted > back ? back : 0;
  }
  return 0;
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

}  // namespace gantry::tools
