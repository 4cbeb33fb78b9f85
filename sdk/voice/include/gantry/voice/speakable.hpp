// SPDX-License-Identifier: Apache-2.0
//
// What is said of a written sentence. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gantry::voice {

/// Inline Markdown, HTML and addresses as one would say them: links by their text, bare addresses
/// by their host; signs as words; pictograms, control characters and words longer than 80 letters
/// are left out. Empty when nothing is left to say. Takes and gives UTF-8.
[[nodiscard]] std::string speakable(std::string_view sentence);

/// The same text with nothing but ASCII: letters without their accents, what has no equivalent as a
/// blank. For engines that know no more.
[[nodiscard]] std::string ascii_only(std::string_view text);

}  // namespace gantry::voice
