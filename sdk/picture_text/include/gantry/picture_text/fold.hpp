// SPDX-License-Identifier: Apache-2.0
//
// Texts as they are compared: code points, in lower case and without space around them,
// exactly as Python 3.11 has them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gantry::picture_text {

/// str.strip() of a text, in UTF-8.
std::string_view stripped(std::string_view text);
/// str.lower().strip(): the code points. What is no UTF-8 counts as U+FFFD.
std::u32string folded(std::string_view text);
/// As UTF-8.
std::string utf8_of(const std::u32string& text);

}  // namespace gantry::picture_text
