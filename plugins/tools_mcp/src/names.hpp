// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names under which the tools of servers appear: <server>_<tool>, of letters that every provider of
// models takes. Pure functions.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::tools_mcp {

inline constexpr std::size_t kLongestName = 64;

struct RemoteName {
  std::string server;
  std::string tool;
};

/// One name for each, in their order; all different. A name that is another's already, belongs to
/// the daemon's own tools, or is too long ends in _ and eight digits that depend on nothing but
/// server and tool.
[[nodiscard]] std::vector<std::string> tool_names(const std::vector<RemoteName>& tools);

/// Whether a name is one of the daemon's own tools, or a reserved one of a protocol. A server must
/// not slip in beneath a name that is allowed by default.
[[nodiscard]] bool is_own_name(std::string_view name);

/// Whether `name` fits a pattern in which * stands for anything.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view name);

}  // namespace gantry::tools_mcp
