// SPDX-License-Identifier: Apache-2.0
#include <gantry/speech/recogniser.hpp>

#include <algorithm>

namespace gantry::speech {
namespace {

std::string_view first_part(std::string_view tag) { return tag.substr(0, tag.find_first_of("-_")); }

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool same_language(std::string_view one, std::string_view other) {
  return std::ranges::equal(first_part(one), first_part(other), {}, lowered, lowered);
}

}  // namespace gantry::speech
