// SPDX-License-Identifier: Apache-2.0
#pragma once
// What on the screen is likely to be said. Anybody may have written it: it only ever becomes words
// of letters (spoken_words.hpp), and there is a bound on how many and how long.

#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/window.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gantry::stt_pocketsphinx {

inline constexpr std::size_t kMostNames = 120;   // of elements
inline constexpr std::size_t kLongestName = 60;  // bytes; what is longer is a text, not a name

/// Titles, their parts ("notes.txt - Mousepad" is asked for as "Mousepad"), and applications, each
/// once.
[[nodiscard]] std::vector<std::string> titles_of(const WindowList& windows);

/// Names of the elements that show, each once: first of those that can be acted on, then of the
/// others; in the tree's order. Fields for passwords are left out, values are never looked at.
[[nodiscard]] std::vector<std::string> names_in(const A11yTree& tree);

}  // namespace gantry::stt_pocketsphinx
