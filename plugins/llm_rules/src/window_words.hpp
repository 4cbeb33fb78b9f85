// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a person is told of a window: of hundreds of lines of its tree the elements that are to be
// seen, by their roles, and some of the words of its picture.

#include <string>
#include <string_view>

namespace gantry::rules {

/// `tree` is the answer's `accessibility` (a line an element: its role, its name in quotes, its
/// value, marks, its place as "@(x,y) w×h"), `read` its `ocr`, what was read from the picture or
/// why it was not; either may be empty, and both may have been cut anywhere. Lines of at most a few
/// hundred bytes; empty when nothing is to be told.
std::string window_words(std::string_view title, std::string_view tree, std::string_view read);

/// The beginning of a text that is longer than `most` bytes, and how much it leaves out.
std::string beginning(std::string_view text, std::size_t most);

}  // namespace gantry::rules
