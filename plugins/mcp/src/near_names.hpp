// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names that a slip of the pen may have meant. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

/// At most three of `names`, the nearest first; none that is very different.
[[nodiscard]] std::vector<std::string> near_names(std::string_view name,
                                                  const std::vector<std::string>& names);

}  // namespace gantry::mcp
