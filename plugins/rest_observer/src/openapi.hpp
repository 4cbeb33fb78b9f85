// SPDX-License-Identifier: Apache-2.0
#pragma once
// Describes the routes as OpenAPI 3.1, from the table of routes and the schemas of the tools, for
// programs that import a server (OpenWebUI and others).

#include <gantry/contracts/observe.hpp>

#include <string>

namespace gantry::rest_observer {

/// Routes of tools that the engine does not have are left out. Sorted, ASCII, without a newline.
[[nodiscard]] std::string open_api_json(const ObserverToolNames& tools);

}  // namespace gantry::rest_observer
