// SPDX-License-Identifier: Apache-2.0
#include "fold.hpp"

#include <gantry/utf8.hpp>

#include <clocale>
#include <cstddef>
#include <cwctype>

namespace gantry::mcp {
namespace {

/// The daemon's own locale says nothing of what clients write.
::locale_t letters() {
  static const ::locale_t kLetters = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kLetters;
}

char32_t first_of(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0);
  char32_t out = byte(0) & (0xFFU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) out = (out << 6U) | (byte(i) & 0x3FU);
  return out;
}

}  // namespace

std::u32string folded(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const std::size_t length = codec::utf8_length(text);
    const char32_t c = first_of(text.substr(0, length == 0 ? 1 : length));
    const bool has_case = length > 0 && letters() != nullptr;
    out.push_back(has_case ? static_cast<char32_t>(::towlower_l(static_cast<wint_t>(c), letters()))
                           : c);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace gantry::mcp
