// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/service.hpp>

#include <boost/json/parse.hpp>

#include <gantry/agent_http/cors.hpp>
#include <gantry/agent_http/gate.hpp>
#include <gantry/agent_http/json_syntax.hpp>
#include <gantry/agent_http/text.hpp>

#include <utility>

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

constexpr std::size_t kDeepestJson = 64;

HttpResponse redirect(const Exchange& exchange) {
  const std::string& target = exchange.request().target;
  const std::size_t query = target.find('?');
  HttpResponse response;
  response.status = 307;
  response.headers.push_back(
      {"location", exchange.base_url() + exchange.found.redirect_to +
                       (query == std::string::npos ? "" : target.substr(query))});
  return response;
}

HttpResponse no_route(const Exchange& exchange) {
  if (!exchange.found.redirect_to.empty()) return redirect(exchange);
  if (exchange.found.allow.empty()) return detail(404, "Not Found");
  HttpResponse response = detail(405, "Method Not Allowed");
  response.headers.push_back({"allow", exchange.found.allow});
  return response;
}

/// Whether the body is meant as JSON: without a type it is.
bool claims_json(const HttpRequest& request) {
  const std::string_view given = header_of(request, "content-type");
  const std::string type = lower(trim(given.substr(0, given.find(';'))));
  return type.empty() || type == "application/json" ||
         (type.starts_with("application/") && type.ends_with("+json"));
}

HttpResponse no_json(std::string_view text) {
  const SyntaxProblem problem = syntax_problem(text).value_or(SyntaxProblem{"Expecting value", 0});
  return invalid({{"json_invalid",
                   {"body", problem.position},
                   "JSON decode error",
                   json::object(),
                   json::object{{"error", problem.message}}}});
}

/// Reads the body; what is no JSON is answered.
std::optional<HttpResponse> read_body(Exchange& exchange) {
  const std::string_view text = exchange.request().body.text();
  if (text.empty()) return std::nullopt;
  if (!claims_json(exchange.request())) {
    exchange.body = json::string(text);
    return std::nullopt;
  }
  json::parse_options options;
  options.max_depth = kDeepestJson;
  json::error_code problem;
  exchange.body = json::parse(text, problem, {}, options);
  if (problem) return no_json(text);
  return std::nullopt;
}

/// No body and null are the same.
std::vector<Issue> body_issues(const Exchange& exchange) {
  if (exchange.body.is_null()) return {missing({"body"}, nullptr)};
  return check(exchange.body, *exchange.found.route->body, {"body"});
}

void route(const HttpService& service, Exchange& exchange) {
  const HttpRequest& request = exchange.request();
  exchange.found = find_route(service.routes, request.method, request.path);
  if (exchange.found.route == nullptr) return exchange.answer(no_route(exchange));
  const Route& route = *exchange.found.route;
  if (route.body != nullptr) {
    if (auto refused = read_body(exchange)) return exchange.answer(std::move(*refused));
  }
  if (route.guard != nullptr) {
    if (auto refused = route.guard(exchange)) return exchange.answer(std::move(*refused));
  }
  if (route.body != nullptr) {
    const std::vector<Issue> issues = body_issues(exchange);
    if (!issues.empty()) return exchange.answer(invalid(issues));
  }
  route.answer(exchange);
}

void serve(const HttpService& service, const std::shared_ptr<Exchange>& exchange) {
  if (auto answer = preflight(exchange->request(), *service.cors_origins)) {
    return exchange->answer(std::move(*answer));
  }
  if (!service.needs_token(exchange->request().path)) return route(service, *exchange);
  check_token(exchange, [service, exchange] { route(service, *exchange); });
}

/// Answers a request, now or later.
void answer(const HttpService& service, const Ref<HttpRequest>& request, Reply<HttpHandle> reply,
            const MakeExchange& make) {
  const auto later = std::make_shared<Reply<HttpHandle>>(std::move(reply));
  const std::shared_ptr<Exchange> exchange =
      make(request, [service, request, later](HttpResponse response) {
        allow_origin(*request, *service.cors_origins, response);
        (*later)(std::move(response));
      });
  serve(service, exchange);
  const std::weak_ptr<Exchange> weak = exchange;
  later->on_cancel([weak] {
    if (const auto gone = weak.lock()) gone->gone();
  });
}

}  // namespace

Result<void> serve_routes(Host& host, const HttpService& service, MakeExchange make) {
  return host.bus().serve<HttpHandle>(
      [&service, make = std::move(make)](const Ref<HttpRequest>& request, const CallInfo&,
                                         Reply<HttpHandle> reply) {
        answer(service, request, std::move(reply), make);
      });
}

}  // namespace gantry::agent_http
