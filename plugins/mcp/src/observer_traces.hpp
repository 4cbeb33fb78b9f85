// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings as MCP resources: the list of them, each one, its lines page by page, its HTML page
// and its pictures. What may be read of them the engine and the guard decide. Strand only.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "observer_source.hpp"

namespace gantry::mcp {

inline constexpr const char* kTraceUri = "gantry://trace";  ///< The one that runs.
inline constexpr const char* kTracesUri = "gantry://traces";
[[nodiscard]] std::string trace_uri(std::string_view trace_id);

/// The list of them, and the newest ones where they can be listed.
void list_trace_resources(ObserverSource& source,
                          std::function<void(std::vector<ResourceDescription>)> done);
[[nodiscard]] std::vector<ResourceTemplate> trace_templates();

[[nodiscard]] bool is_trace_resource(std::string_view uri);
void read_trace_resource(ObserverSource& source, const ResourceReadRequest& request,
                         Done<ResourceContents> done);
/// Of the variables of trace_templates().
void complete_trace(ObserverSource& source, const CompletionRequest& request,
                    Done<Completions> done);

}  // namespace gantry::mcp
