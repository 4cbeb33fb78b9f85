// SPDX-License-Identifier: Apache-2.0
#include "tool_failures.hpp"

#include <boost/describe/enum_to_string.hpp>
#include <string>

namespace gantry::agent {
namespace {

AgentErrorCode code_of(const ToolResultBody& result) {
  if (result.end != ToolEnd::Rejected) return AgentErrorCode::TOOL_EXECUTION_ERROR;
  return result.tool.empty() ? AgentErrorCode::TOOL_NOT_FOUND
                             : AgentErrorCode::TOOL_VALIDATION_ERROR;
}

}  // namespace

void count_failure(Host& host, const ToolResultBody& result) {
  // Whoever stopped a turn made nothing fail.
  if (!result.is_error || result.end == ToolEnd::Cancelled) return;
  const std::string code = boost::describe::enum_to_string(code_of(result), "");
  host.counter("errors_total", "Failed calls of tools by the code of the published text.",
               "code=" + code)
      .add();
  host.log().info("a call of a tool failed",
                  {{"code", code},
                   {"tool", result.tool},
                   {"end", boost::describe::enum_to_string(result.end, "")}});
}

}  // namespace gantry::agent
