// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names that a wrong one may have meant. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

/// At most three of `names`, the nearest first: those that a slip of the pen makes `name` of, else
/// those that share a word with it.
[[nodiscard]] std::vector<std::string> near_names(std::string_view name,
                                                  const std::vector<std::string>& names);

/// The one of them that was certainly meant: no other is nearly as near.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      const std::vector<std::string>& names);

/// `{"near_matches": [...]}`, the data of an error.
[[nodiscard]] std::string near_matches_json(const std::vector<std::string>& near);

}  // namespace gantry::mcp
