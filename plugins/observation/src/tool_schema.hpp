// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a tool's row says about it, as data for documents and advertisements.

#include <gantry/contracts/observe.hpp>

#include <string>
#include <string_view>

#include "tools.hpp"

namespace gantry::observation {

/// JSON Schema (2020-12) of the tool's arguments: an object with properties and required. Unknown
/// members are not forbidden, because the protocol ignores them.
[[nodiscard]] std::string input_schema(const Tool& tool);

/// "about", "read", "picture", "act" or "manage".
[[nodiscard]] std::string_view kind_name(ToolKind kind);

/// Every tool with its schema; made once.
[[nodiscard]] const ObserverToolNames& described_tools();

}  // namespace gantry::observation
