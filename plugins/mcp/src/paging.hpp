// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pages of a list that does not fit into one answer. A cursor names a place and the list that it is
// a place of; it is refused when the list is another. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

struct Page {
  std::string items;  ///< A JSON array.
  std::string next;   ///< Cursor of the next page; empty: this was the last.
};

/// As many of `items` (JSON texts) as fit into `max_bytes`, at least one. An empty cursor begins.
/// Nothing when the cursor is not one of this list's.
[[nodiscard]] std::optional<Page> page_of(const std::vector<std::string>& items,
                                          std::string_view cursor, std::size_t max_bytes);

}  // namespace gantry::mcp
