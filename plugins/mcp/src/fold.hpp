// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts of people compared as people read them.

#include <string>
#include <string_view>

namespace gantry::mcp {

/// Small letters for capital ones, by Unicode's simple mapping; what is no UTF-8 stays as it is.
[[nodiscard]] std::u32string folded(std::string_view text);

}  // namespace gantry::mcp
