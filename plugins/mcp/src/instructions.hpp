// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model is told about the server as a whole. Short: it is sent with every session.

#include <string>

#include "settings.hpp"

namespace gantry::mcp {

/// The configured text, else the usual one.
[[nodiscard]] const std::string& instructions(const ServerSettings& server);

}  // namespace gantry::mcp
