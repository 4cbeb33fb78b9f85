// SPDX-License-Identifier: Apache-2.0
#pragma once
// The observer's REST wire: bodies, statuses and headers (observer contract 1.1, 1.2). No other
// file of this plugin spells a JSON name or a status.

#include <gantry/contracts/http.hpp>
#include <gantry/contracts/observe.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::rest_observer {

inline constexpr int kOk = 200;
inline constexpr int kNotModified = 304;
inline constexpr int kBadRequest = 400;
inline constexpr int kForbidden = 403;
inline constexpr int kNotFound = 404;
inline constexpr int kMethodNotAllowed = 405;
inline constexpr int kInternal = 500;
inline constexpr int kServiceUnavailable = 503;

/// The HTTP status of one of the protocol's error codes; 500 for unknown ones.
[[nodiscard]] int status_of(std::string_view error_code);

/// How a route words its failures.
enum class ErrorShape {
  Object,  ///< {"ok":false,"success":false,"error":{code,message,…}}: routes of tools.
  Text,    ///< {"error":"text"}: the first version's own routes.
  Action,  ///< {"ok":false,"success":false,"error":"text", and the object beside it}: /api/action.
};

/// A JSON answer; `json` gets the newline that every body ends with.
[[nodiscard]] HttpResponse json_response(int status, std::string_view json);

/// What a tool answered, in the route's shape.
[[nodiscard]] HttpResponse tool_response(const ObserverToolResult& result, ErrorShape shape);

/// The bus could not run the tool at all: no engine, or it took too long.
[[nodiscard]] HttpResponse bus_failure(const Error& error, ErrorShape shape);

/// A request that never reached a tool.
[[nodiscard]] HttpResponse refusal(int status, std::string_view message, ErrorShape shape);

/// {"ok":true,"tools":[…]}
[[nodiscard]] HttpResponse tools_response(const ObserverToolNames& names);

/// The body of GET /api/healthz, without the newline; `uptime_s` in whole seconds.
[[nodiscard]] std::string health_json(const ObserverStatusReport& status, std::int64_t uptime_s);

/// Prometheus text 0.0.4 in the published order (observer contract 2.16).
[[nodiscard]] std::string metrics_text(const ObserverStatusReport& status, std::int64_t uptime_s);

/// What a request asks of a tool, as a JSON object; or why it cannot be read.
/// A query becomes an object of strings; of repeated names the first counts.
[[nodiscard]] std::string query_arguments(const std::vector<HttpParameter>& query);

/// `arguments` (a JSON object) with the values that stand in the path.
[[nodiscard]] std::string with_path_arguments(std::string arguments,
                                              const std::vector<HttpParameter>& path);

/// Whether a body asks for a point and names no element.
[[nodiscard]] bool asks_for_point(std::string_view arguments);

/// A body is JSON whatever its content type says. null, false, 0, "", [] and {} are an empty
/// object; everything else that is not an object is refused. `lenient`: what is not JSON is an
/// empty object.
[[nodiscard]] Result<std::string> body_arguments(std::string_view body, bool lenient);

/// The tool behind an action request.
struct ActionCall {
  std::string tool;       ///< Empty: there is no such action.
  std::string action;     ///< As it was sent.
  std::string arguments;  ///< Of the tool: without "action", and "value" under the tool's name.
};
struct ActionRow {
  std::string_view action, tool;
  std::string_view value_of;  ///< The tool's argument that is called "value" in an action.
};
[[nodiscard]] std::span<const ActionRow> action_rows();
[[nodiscard]] ActionCall action_of(std::string_view arguments);

}  // namespace gantry::rest_observer
