// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes of files and programs as text for models. Pure functions.

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::tools {

/// Valid UTF-8: every byte that belongs to no sequence becomes U+FFFD. `replaced` counts them.
[[nodiscard]] std::string repaired_utf8(std::string_view bytes, std::size_t* replaced = nullptr);

/// How many bytes at the end of `bytes` may be the beginning of a character that goes on: 0 to 3.
[[nodiscard]] std::size_t unfinished_utf8(std::string_view bytes);

/// Without characters that a reader does not see but a model does: controls (but tab and line
/// feed), marks that turn the direction of writing, tag characters, zero-width characters. Bytes
/// that are not UTF-8 become replacement characters.
[[nodiscard]] std::string visible_text(std::string_view text);

}  // namespace gantry::tools
