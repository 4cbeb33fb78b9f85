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

}  // namespace gantry::tools
