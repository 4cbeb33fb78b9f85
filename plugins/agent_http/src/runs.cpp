// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <limits>

#include <gantry/agent_http/text.hpp>
#include "handlers.hpp"

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

std::optional<HttpResponse> run_error(const Error& error) {
  if (error.code == Code::NotFound) return detail(404, "Run not found");
  if (error.code == Code::InvalidArgument) return detail(422, error.message);
  return std::nullopt;
}

std::optional<HttpResponse> dispatch_error(const Error& error) {
  if (error.code == Code::NotFound) return detail(404, "Run not found or worker mismatch");
  return run_error(error);
}

std::vector<RunFile> files_of(const json::object& body) {
  std::vector<RunFile> files;
  const json::value* given = body.if_contains("files");
  if (given == nullptr) return files;
  for (const json::value& entry : given->get_array()) {
    const json::object& file = entry.get_object();
    files.push_back({text_of(file, "artifact_id"), optional_text_of(file, "filename"),
                     optional_text_of(file, "content_type")});
  }
  return files;
}

RunAction action_of(std::string_view name) {
  if (name == "pause") return RunAction::pause;
  if (name == "resume") return RunAction::resume;
  return name == "stop" ? RunAction::stop : RunAction::set_control_mode;
}

RunControlMode mode_of(std::string_view name) {
  if (name == "agent_only") return RunControlMode::agent_only;
  return name == "shared_control" ? RunControlMode::shared_control : RunControlMode::human_override;
}

/// A whole number of the query, within its limits; `otherwise` when it is not given.
std::int64_t whole_number(const HttpRequest& request, std::string_view name, std::int64_t otherwise,
                          std::int64_t low, std::int64_t high, std::vector<Issue>& issues) {
  const std::optional<std::string> given = parameter_of(request, name);
  if (!given) return otherwise;
  const json::array loc = {"query", json::string(name)};
  std::int64_t value = 0;
  const char* end = given->data() + given->size();
  const auto read = std::from_chars(given->data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) {
    issues.push_back({"int_parsing", loc,
                      "Input should be a valid integer, unable to parse string as an integer",
                      json::string(*given), std::nullopt});
  } else if (value < low) {
    issues.push_back({"greater_than_equal", loc,
                      "Input should be greater than or equal to " + std::to_string(low),
                      json::string(*given), json::object{{"ge", low}}});
  } else if (value > high) {
    issues.push_back({"less_than_equal", loc,
                      "Input should be less than or equal to " + std::to_string(high),
                      json::string(*given), json::object{{"le", high}}});
  }
  return value;
}

}  // namespace

void create_run(Exchange& exchange) {
  const json::object& body = exchange.members();
  RunCreateRequest request;
  request.workspace_id = text_of(body, "workspace_id");
  request.agent_id = optional_text_of(body, "agent_id");
  request.query = text_of(body, "query");
  request.requested_by = optional_text_of(body, "requested_by");
  request.files = files_of(body);
  request.metadata = Json(json_of(body, "metadata", "{}"));
  exchange.call<RunCreate>(std::move(request), &run_with_events, &run_error);
}

void get_run(Exchange& exchange) {
  exchange.call<RunGet>({exchange.parameter("run_id")}, &run_view, &run_error);
}

void get_run_events(Exchange& exchange) {
  std::vector<Issue> issues;
  RunEventsRequest request;
  request.run_id = exchange.parameter("run_id");
  request.after_seq = whole_number(exchange.request(), "after_seq", 0, 0,
                                   std::numeric_limits<std::int64_t>::max(), issues);
  request.limit =
      static_cast<std::int32_t>(whole_number(exchange.request(), "limit", 200, 1, 1000, issues));
  if (!issues.empty()) return exchange.answer(invalid(issues));
  exchange.call<RunEvents>(std::move(request), &event_page, &run_error);
}

void post_run_event(Exchange& exchange) {
  const json::object& body = exchange.members();
  RunPostEventRequest request;
  request.run_id = exchange.parameter("run_id");
  request.event_type = text_of(body, "event_type");
  request.source = text_of(body, "source", request.source);
  request.payload = Json(json_of(body, "payload", "{}"));
  exchange.call<RunPostEvent>(std::move(request), &run_with_event, &run_error);
}

void control_run(Exchange& exchange) {
  const json::object& body = exchange.members();
  RunControlRequest request;
  request.run_id = exchange.parameter("run_id");
  request.action = action_of(text_of(body, "action"));
  request.requested_by = optional_text_of(body, "requested_by");
  if (const auto mode = optional_text_of(body, "control_mode")) {
    request.control_mode = mode_of(*mode);
  }
  exchange.call<RunControl>(std::move(request), &run_with_event, &run_error);
}

void run_dispatched(Exchange& exchange) {
  const json::object& body = exchange.members();
  RunDispatchedRequest request;
  request.run_id = exchange.parameter("run_id");
  request.worker_id = text_of(body, "worker_id");
  request.user_id = text_of(body, "user_id");
  request.turn_ref = text_of(body, "turn_ref");
  request.conversation_ref = optional_text_of(body, "conversation_ref");
  exchange.call<RunDispatched>(std::move(request), &run_with_event, &dispatch_error);
}

void worker_heartbeat(Exchange& exchange) {
  const json::object& body = exchange.members();
  RunHeartbeatRequest request;
  request.workspace_id = text_of(body, "workspace_id");
  request.worker_id = text_of(body, "worker_id");
  request.vm_id = text_of(body, "vm_id");
  request.user_id = text_of(body, "user_id");
  request.session_id = optional_text_of(body, "session_id");
  request.agent_id = optional_text_of(body, "agent_id");
  request.status = text_of(body, "status", request.status);
  request.metadata = Json(json_of(body, "metadata", "{}"));
  exchange.call<RunHeartbeat>(std::move(request), &heartbeat_view, &run_error);
}

void stop_all_runs(Exchange& exchange) {
  const json::object& body = exchange.members();
  RunStopAllRequest request;
  request.workspace_id = optional_text_of(body, "workspace_id");
  request.requested_by = optional_text_of(body, "requested_by");
  exchange.call<RunStopAll>(std::move(request), &stopped_view, &run_error);
}

}  // namespace gantry::agent_http
