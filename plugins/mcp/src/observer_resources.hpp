// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows, trees, screenshots and the recording as MCP resources, and their completion. Strand
// only.

#include <optional>
#include <string>
#include <vector>

#include "observer_source.hpp"
#include "resource_watch.hpp"

namespace gantry::mcp {

void list_observer_resources(ObserverSource& source, Done<std::vector<ResourceDescription>> done);
[[nodiscard]] std::vector<ResourceTemplate> observer_templates();
void read_observer_resource(ObserverSource& source, const ResourceReadRequest& request,
                            Done<ResourceContents> done);
void complete_observer(ObserverSource& source, const CompletionRequest& request,
                       Done<Completions> done);

/// What of the desktop an address shows; nothing for addresses of anything else.
[[nodiscard]] std::optional<WatchedResource> watched_resource(const std::string& uri);

inline constexpr const char* kWindowsUri = "gantry://windows";

}  // namespace gantry::mcp
