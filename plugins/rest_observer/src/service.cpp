// SPDX-License-Identifier: Apache-2.0
#include "service.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "openapi.hpp"

namespace gantry::rest_observer {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::string_view kNoEngine =
    "the observation engine has not answered; is the plugin 'observation' enabled?";
constexpr std::string_view kStarting = "starting: the desktop adapter has not answered yet";
constexpr std::string_view kPluginsStarting = "starting: not all plugins have started yet";

HttpResponse not_found(const HttpRequest& request) {
  return refusal(
      kNotFound,
      fmt::format("there is no route {}; GET /openapi.json describes the routes", request.path),
      ErrorShape::Text);
}

HttpResponse not_allowed(const HttpRequest& request) {
  const std::string allowed = allowed_methods(request.route);
  HttpResponse response = refusal(
      kMethodNotAllowed, fmt::format("{} takes {}, not {}", request.path, allowed, request.method),
      ErrorShape::Text);
  response.headers.push_back({"Allow", allowed});
  return response;
}

HttpResponse options(const HttpRequest& request) {
  HttpResponse response;
  response.headers.push_back({"Allow", allowed_methods(request.route)});
  response.content_type = "text/html; charset=utf-8";
  return response;
}

/// The host that a URL names, with its port.
std::string_view authority_of(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  return url.substr(begin + 3, url.find_first_of("/?#", begin + 3) - (begin + 3));
}

/// Whether a page of another origin made the browser send this, by a link, an image or a form. Such
/// a GET carries no Origin; what it carries is Sec-Fetch-Site, in older browsers only a Referer.
/// "none" is an address that the user typed.
bool from_foreign_page(const HttpRequest& request) {
  const std::string_view site = header_of(request, "sec-fetch-site");
  if (!site.empty()) return site != "same-origin" && site != "none";
  const std::string_view referrer = header_of(request, "referer");
  return !referrer.empty() && authority_of(referrer) != header_of(request, "host");
}

/// Whether a tool acts, or changes the daemon's own state: a replay acts as well. A link or an
/// image on some web page must not be able to call it.
bool changes_something(const ObserverToolNames& tools, std::string_view name) {
  const auto& acting = tools.input_tools;
  if (std::find(acting.begin(), acting.end(), name) != acting.end()) return true;
  return std::any_of(tools.described.begin(), tools.described.end(),
                     [name](const ObserverToolDescription& tool) {
                       return tool.name == name && (tool.kind == "act" || tool.kind == "manage");
                     });
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

void Service::set_tools(const ObserverToolNames& names) {
  tools_ = names;
  open_api_body_ = {};
}

void Service::handle(const HttpRequest& request, Answer answer) {
  const auto finish = [this, &request](HttpResponse response) {
    cors_.apply(request, response);
    return response;
  };
  if (!has_path(request.route)) return answer(finish(not_found(request)));
  if (request.method == "OPTIONS") return answer(finish(options(request)));
  const Route* route = find_route(request.route, request.method);
  if (route == nullptr) return answer(finish(not_allowed(request)));
  switch (route->handling) {
    case Handling::Health:
      if (started_) return answer(finish(health()));
      break;
    case Handling::Metrics: return answer(finish(metrics()));
    case Handling::Page: return answer(finish(page(request)));
    case Handling::Asset: return answer(finish(asset(request)));
    case Handling::ToolNames: return answer(finish(tools_response(tools_)));
    case Handling::OpenApi: return answer(finish(open_api()));
    default: break;
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
    case Handling::Health: return first_health(std::move(answer));
    case Handling::NamedTool: return run_named(route, request, std::move(answer));
    case Handling::Action: return run_action(route, request, std::move(answer));
    case Handling::ActingGet:
      if (from_foreign_page(request)) {
        return answer(refusal(kForbidden, "a page of another origin may not act on the desktop",
                              route.errors));
      }
      break;
    default: break;
  }
  std::string arguments = query_arguments(request.query);
  if (request.method == "POST") {
    Result<std::string> body = body_arguments(request.body.text(), route.lenient);
    if (!body.ok()) return answer(refusal(kBadRequest, body.error().message, route.errors));
    arguments = std::move(*body);
  }
  const bool at_point = route.handling == Handling::Hover && asks_for_point(arguments);
  arguments = with_path_arguments(std::move(arguments), request.path_parameters);
  run_tool(route, request, at_point ? "hover_at" : std::string(route.tool), std::move(arguments),
           std::move(answer));
}

void Service::run_named(const Route& route, const HttpRequest& request, Answer answer) {
  std::string tool = path_parameter(request, "name");
  if (request.method == "POST") {
    Result<std::string> arguments = body_arguments(request.body.text(), route.lenient);
    if (!arguments.ok()) {
      return answer(refusal(kBadRequest, arguments.error().message, route.errors));
    }
    return run_tool(route, request, std::move(tool), std::move(*arguments), std::move(answer));
  }
  if (tools_.tools.empty()) return answer(refusal(kServiceUnavailable, kNoEngine, route.errors));
  if (changes_something(tools_, tool)) {
    HttpResponse response =
        refusal(kMethodNotAllowed, fmt::format("{} changes something and takes POST only", tool),
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
  run_tool(route, request, std::move(call.tool), std::move(call.arguments), std::move(answer));
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

/// Others serve on this listener too (MCP): who is told that the observer is ready may use them.
void Service::first_health(Answer answer) {
  engine_.whether_started([this, answer = std::move(answer)](bool started) {
    started_ = started;
    answer(started ? health() : refusal(kServiceUnavailable, kPluginsStarting, ErrorShape::Action));
  });
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

HttpResponse Service::page(const HttpRequest& request) const {
  if (!web_.empty()) return web_.answer(request, kIndexFile);
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  add_page_headers(response);
  response.body = Buffer::of(routes_page("0.1.0"));
  return response;
}

HttpResponse Service::asset(const HttpRequest& request) const {
  const std::string name = path_parameter(request, "file");
  return web_.has(name) ? web_.answer(request, name) : not_found(request);
}

HttpResponse Service::open_api() {
  if (tools_.described.empty()) {
    return refusal(kServiceUnavailable, kNoEngine, ErrorShape::Text);
  }
  if (open_api_body_.empty()) open_api_body_ = Buffer::of(open_api_json(tools_) + '\n');
  HttpResponse response;
  response.content_type = "application/json";
  response.body = open_api_body_;
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
