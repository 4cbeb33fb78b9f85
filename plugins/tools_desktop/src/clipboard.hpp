// SPDX-License-Identifier: Apache-2.0
#pragma once
// The clipboard, with the guard's consent.

#include <gantry/contracts/tool.hpp>
#include <gantry/task.hpp>

#include <optional>
#include <string>

#include "run.hpp"

namespace gantry::desk {

/// Puts a text on the clipboard. Nothing: it is there. Otherwise the tool's answer: why it is not.
Task<std::optional<ToolResult>> write_clipboard(Run& run, std::string text);

}  // namespace gantry::desk
