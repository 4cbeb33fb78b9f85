// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compact JSON with line breaks and two spaces for each level, as Python's json.dumps(indent=2)
// writes it. Pure.

#include <string>
#include <string_view>

namespace gantry::mcp {

/// `compact_json` must be valid JSON without white space between its tokens.
[[nodiscard]] std::string indented(std::string_view compact_json);

}  // namespace gantry::mcp
