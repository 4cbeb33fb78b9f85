// SPDX-License-Identifier: Apache-2.0
#pragma once
// The setting include_query_screenshot: a picture of the daemon's desktop for a query that has
// none. Strand only.

#include <gantry/host.hpp>

#include <functional>
#include <string>
#include <vector>

namespace gantry::agent_ws {

/// Whether the configuration lets clients see this desktop: agent_ws.daemon_tools must offer the
/// tool `screenshot`, by name or by a pattern that ends in *.
[[nodiscard]] bool may_see_desktop(const std::vector<std::string>& daemon_tools);

/// Takes a picture of the whole desktop and keeps it for `principal`. `done` gets its artifact id;
/// empty when there is none, which the log explains: the query goes on without.
void take_query_screenshot(Host& host, const std::string& principal,
                           std::function<void(std::string)> done);

}  // namespace gantry::agent_ws
