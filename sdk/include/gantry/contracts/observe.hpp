// SPDX-License-Identifier: Apache-2.0
//
// The observation engine's contracts: what every protocol shows of the desktop and does to it.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <string>
#include <string_view>

namespace gantry {

/// A tool of the observer by its published name ("list_windows", "get_window_structure", …) with
/// its arguments as a JSON object. `caller` names the protocol and client for audit and traces.
struct ObserverToolRequest {
  std::string tool;
  Json arguments{"{}"};
  std::string caller;
};
BOOST_DESCRIBE_STRUCT(ObserverToolRequest, (), (tool, arguments, caller))

/// `result` is the published answer of the tool, a JSON object with ok, success, step_id, …;
/// on failure it carries the published error object and `error_code` names it.
struct ObserverToolResult {
  bool ok = true;
  std::string error_code;
  Json result;
};
BOOST_DESCRIBE_STRUCT(ObserverToolResult, (), (ok, error_code, result))

struct ObserverTool {
  static constexpr std::string_view kName = "gantry.observe.tool/1";
  static constexpr std::string_view kDoc = "Runs one of the observer's tools.";
  using Request = ObserverToolRequest;
  using Response = ObserverToolResult;
};

} // namespace gantry
