// SPDX-License-Identifier: Apache-2.0
#include "cli/printable.hpp"

namespace gantry::cli {

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = (byte < 0x20 && text[i] != '\n' && text[i] != '\t') || byte == 0x7F;
    // U+0080 to U+009F, which some terminals take for controls, too.
    const bool high =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (high) ++i;
    if (!control && !high) out += text[i];
  }
  return out;
}

std::string printable_line(std::string_view text) {
  std::string out = printable(text);
  for (char& c : out) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return out;
}

}  // namespace gantry::cli
