// SPDX-License-Identifier: Apache-2.0
#include "service.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gantry::rest_observer {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::string_view kNoEngine =
    "the observation engine has not answered; is the plugin 'observation' enabled?";
constexpr std::string_view kStarting = "starting: the desktop adapter has not answered yet";

const Route* find_route(std::string_view id) {
  const auto routes = all_routes();
  const auto found = std::find_if(routes.begin(), routes.end(),
                                  [&](const Route& route) { return route.path == id; });
  return found != routes.end() ? &*found : nullptr;
}

HttpResponse not_found(const HttpRequest& request) {
  return refusal(kNotFound,
                 fmt::format("there is no route {}; GET / lists the routes", request.path),
                 ErrorShape::Text);
}

HttpResponse not_allowed(const Route& route, const HttpRequest& request) {
  HttpResponse response = refusal(
      kMethodNotAllowed,
      fmt::format("{} takes {}, not {}", request.path, allowed_methods(route), request.method),
      ErrorShape::Text);
  response.headers.push_back({"Allow", allowed_methods(route)});
  return response;
}

HttpResponse options(const Route& route) {
  HttpResponse response;
  response.headers.push_back({"Allow", allowed_methods(route)});
  response.content_type = "text/html; charset=utf-8";
  return response;
}

HttpResponse page() {
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.body = Buffer::of(routes_page("0.1.0"));
  return response;
}

std::string path_parameter(const HttpRequest& request, std::string_view name) {
  for (const HttpParameter& parameter : request.path_parameters) {
    if (parameter.name == name) return parameter.value;
  }
  return {};
}

}  // namespace

void Service::set_status(const ObserverStatusReport& status) {
  status_ = status;
  health_uptime_ = -1;
}

void Service::handle(const HttpRequest& request, Answer answer) {
  const auto finish = [this, &request](HttpResponse response) {
    cors_.apply(request, response);
    return response;
  };
  const Route* route = find_route(request.route);
  if (route == nullptr) return answer(finish(not_found(request)));
  if (request.method == "OPTIONS") return answer(finish(options(*route)));
  if (!allows(*route, request.method)) return answer(finish(not_allowed(*route, request)));
  switch (route->handling) {
    case Handling::Health: return answer(finish(health()));
    case Handling::Metrics: return answer(finish(metrics()));
    case Handling::Page: return answer(finish(page()));
    case Handling::ToolNames: return answer(finish(tools_response(tools_)));
    case Handling::Tool:
    case Handling::NamedTool:
    case Handling::Action: break;
  }
  // The origin is needed again when the answer comes, and the request is gone by then.
  HttpRequest asked;
  asked.method = request.method;
  for (const HttpHeader& header : request.headers) {
    if (header.name == "origin") asked.headers.push_back(header);
  }
  dispatch(*route, request,
           [this, asked = std::move(asked), answer = std::move(answer)](HttpResponse response) {
             cors_.apply(asked, response);
             answer(std::move(response));
           });
}

void Service::dispatch(const Route& route, const HttpRequest& request, Answer answer) {
  switch (route.handling) {
    case Handling::NamedTool: return run_named(route, request, std::move(answer));
    case Handling::Action: return run_action(route, request, std::move(answer));
    default: break;
  }
  run_tool(route, request, std::string(route.tool), query_arguments(request.query),
           std::move(answer));
}

void Service::run_named(const Route& route, const HttpRequest& request, Answer answer) {
  std::string tool = path_parameter(request, "name");
  if (request.method == "POST") {
    Result<std::string> arguments = body_arguments(request.body.text(), true);
    if (!arguments.ok()) {
      return answer(refusal(kBadRequest, arguments.error().message, route.errors));
    }
    return run_tool(route, request, std::move(tool), std::move(*arguments), std::move(answer));
  }
  if (tools_.tools.empty()) return answer(refusal(kServiceUnavailable, kNoEngine, route.errors));
  // A link or an image on some web page must not be able to click.
  const auto& acting = tools_.input_tools;
  if (std::find(acting.begin(), acting.end(), tool) != acting.end()) {
    HttpResponse response =
        refusal(kMethodNotAllowed, fmt::format("{} acts on the desktop and takes POST only", tool),
                route.errors);
    response.headers.push_back({"Allow", "OPTIONS, POST"});
    return answer(std::move(response));
  }
  run_tool(route, request, std::move(tool), query_arguments(request.query), std::move(answer));
}

void Service::run_action(const Route& route, const HttpRequest& request, Answer answer) {
  Result<std::string> arguments = body_arguments(request.body.text(), false);
  if (!arguments.ok()) {
    return answer(refusal(kBadRequest, arguments.error().message, route.errors));
  }
  ActionCall call = action_of(*arguments);
  if (call.tool.empty()) {
    return answer(refusal(kBadRequest, "Unknown action: " + call.action, route.errors));
  }
  run_tool(route, request, std::move(call.tool), std::move(*arguments), std::move(answer));
}

void Service::run_tool(const Route& route, const HttpRequest& request, std::string tool,
                       std::string arguments, Answer answer) {
  ObserverToolRequest call;
  call.tool = std::move(tool);
  call.arguments = Json(std::move(arguments));
  call.caller = "rest:" + request.peer;
  call.plain = route.plain;
  engine_.run(std::move(call), [shape = route.errors, answer = std::move(answer)](
                                   Result<Ref<ObserverToolResult>> result) {
    answer(result.ok() ? tool_response(**result, shape) : bus_failure(result.error(), shape));
  });
}

std::int64_t Service::uptime_s() const {
  return (engine_.monotonic_ns() - status_->started_ns) / kNanosecondsPerSecond;
}

HttpResponse Service::health() {
  // The answer comes from memory; an engine that has gone is noticed a second later.
  if (const std::int64_t now = engine_.monotonic_ns();
      now - refreshed_ns_ > kNanosecondsPerSecond) {
    refreshed_ns_ = now;
    engine_.refresh();
  }
  if (!status_) return refusal(kServiceUnavailable, kNoEngine, ErrorShape::Action);
  if (!status_->probed) return refusal(kServiceUnavailable, kStarting, ErrorShape::Action);
  const std::int64_t now = uptime_s();
  if (now != health_uptime_) {
    health_uptime_ = now;
    health_body_ = Buffer::of(health_json(*status_, now) + '\n');
  }
  HttpResponse response;
  response.content_type = "application/json";
  response.body = health_body_;
  return response;
}

HttpResponse Service::metrics() const {
  if (!status_) return refusal(kServiceUnavailable, kNoEngine, ErrorShape::Text);
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4";
  response.body = Buffer::of(metrics_text(*status_, uptime_s()));
  return response;
}

}  // namespace gantry::rest_observer
