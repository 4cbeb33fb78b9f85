// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <boost/json/parse.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gantry::chat_cortask {
namespace {

namespace json = boost::json;

constexpr std::size_t kDeepestJson = 64;

struct Route {
  std::string_view method;
  std::string_view path;  // {} takes one segment, * all that follow
  void (*answer)(Exchange& exchange);
};

/// The first that fits answers, so names come before {}.
constexpr Route kRoutes[] = {
    {"GET", "/api/health", &health},
    {"GET", "/api/updates/check", &check_updates},
    {"GET", "/api/onboarding/status", &onboarding_status},
    {"POST", "/api/onboarding/complete", &complete_onboarding},
    {"GET", "/api/config", &read_config},
    {"PUT", "/api/config", &change_config},
    {"GET", "/api/channels", &list_channels},
    {"POST", "/api/channels/{}/start", &start_channel},
    {"POST", "/api/channels/{}/stop", &stop_channel},
    {"GET", "/api/workspaces", &list_workspaces},
    {"POST", "/api/workspaces", &create_workspace},
    {"PUT", "/api/workspaces/reorder", &sort_workspaces},
    {"GET", "/api/workspaces/{}", &read_workspace},
    {"PUT", "/api/workspaces/{}", &change_workspace},
    {"DELETE", "/api/workspaces/{}", &delete_workspace},
    {"POST", "/api/workspaces/{}/open", &open_workspace},
    {"GET", "/api/workspaces/{}/list-files", &list_files},
    {"GET", "/api/workspaces/{}/tree", &show_tree},
    {"GET", "/api/workspaces/{}/memory", &read_memory},
    {"PUT", "/api/workspaces/{}/memory", &write_memory},
    {"GET", "/api/workspaces/{}/memory/search", &search_memory},
    {"GET", "/api/workspaces/{}/memory/entries", &memory_entries},
    {"PUT", "/api/workspaces/{}/files/rename", &rename_file},
    {"GET", "/api/workspaces/{}/files/*", &get_file},
    {"PUT", "/api/workspaces/{}/files/*", &put_file},
    {"DELETE", "/api/workspaces/{}/files/*", &delete_file},
    {"GET", "/api/sessions", &list_sessions},
    {"GET", "/api/sessions/{}", &read_session},
    {"DELETE", "/api/sessions/{}", &delete_session},
    {"GET", "/api/providers", &list_providers},
    {"PUT", "/api/providers/default", &choose_provider},
    {"POST", "/api/providers/{}/test", &test_provider},
    {"GET", "/api/models/enabled", &enabled_models},
    {"POST", "/api/models/enable", &enable_model},
    {"DELETE", "/api/models/disable", &disable_model},
    {"GET", "/api/models/{}/available", &available_models},
    {"POST", "/api/llm/complete", &complete_prompt},
    {"GET", "/api/templates", &list_templates},
    {"POST", "/api/templates", &create_template},
    {"PUT", "/api/templates/{}", &change_template},
    {"DELETE", "/api/templates/{}", &delete_template},
    {"GET", "/api/credentials", &list_credentials},
    {"POST", "/api/credentials", &put_credential},
    {"GET", "/api/credentials/{}", &read_credential},
    {"DELETE", "/api/credentials/{}", &delete_credential},
    {"GET", "/api/cron", &list_jobs},
    {"POST", "/api/cron", &create_job},
    {"GET", "/api/cron/{}", &read_job},
    {"PUT", "/api/cron/{}", &change_job},
    {"DELETE", "/api/cron/{}", &delete_job},
    {"POST", "/api/cron/{}/run", &run_job},
    {"GET", "/api/usage", &show_usage},
    {"GET", "/api/usage/history", &usage_history},
    {"GET", "/api/artifacts", &list_artifacts},
    {"GET", "/api/artifacts/{}", &read_artifact},
    {"POST", "/api/config/memory/test-embedding", &test_embedding},
    {"GET", "/api/skills", &list_skills},
    {"POST", "/api/skills", &create_skill},
    {"POST", "/api/skills/install", &install_skill},
    {"PUT", "/api/skills/{}", &change_skill},
    {"DELETE", "/api/skills/{}", &delete_skill},
    {"GET", "/api/skills/{}/content", &read_skill},
    {"PUT", "/api/skills/{}/content", &change_skill},
    {"GET", "/api/skills/{}/oauth2/*", &skill_without_login},
    {"POST", "/api/skills/{}/oauth2/*", &skill_without_login},
};

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

/// The segments of a path, between its slashes; each is decoded by itself, so that a name may hold
/// an encoded slash.
std::vector<std::string> segments_of(std::string_view target, bool decode) {
  std::vector<std::string> out;
  std::string_view rest = target.substr(0, target.find('?'));
  if (rest.starts_with('/')) rest.remove_prefix(1);
  for (bool more = true; more;) {
    const std::size_t slash = rest.find('/');
    more = slash != std::string_view::npos;
    const std::string_view part = rest.substr(0, slash);
    out.push_back(decode ? decoded(part) : std::string(part));
    if (more) rest.remove_prefix(slash + 1);
  }
  return out;
}

std::optional<std::vector<std::string>> parameters_of(std::string_view pattern,
                                                      const std::vector<std::string>& path) {
  std::vector<std::string> found;
  std::size_t at = 0;
  for (const std::string& wanted : segments_of(pattern, false)) {
    if (wanted == "*") {
      std::string rest;
      for (; at < path.size(); ++at) rest += (rest.empty() ? "" : "/") + path[at];
      found.push_back(std::move(rest));
      return found;
    }
    if (at == path.size()) return std::nullopt;
    if (wanted == "{}") {
      found.push_back(path[at]);
    } else if (wanted != path[at]) {
      return std::nullopt;
    }
    ++at;
  }
  if (at != path.size()) return std::nullopt;
  return found;
}

/// Whether a page sends what a form could send as well: a body that does not say it is JSON.
bool is_form(const HttpRequest& request) {
  const bool page =
      !header(request, "origin").empty() || !header(request, "sec-fetch-site").empty();
  return page && !header(request, "content-type").starts_with("application/json");
}

/// Reads the body; false when it is no JSON object, which is answered.
bool read_body(Exchange& exchange) {
  const std::string_view text = exchange.request().body.text();
  if (text.empty()) return true;
  if (is_form(exchange.request())) {
    exchange.error(415, "a page's body needs Content-Type: application/json");
    return false;
  }
  json::parse_options options;
  options.max_depth = kDeepestJson;
  json::error_code problem;
  json::value parsed = json::parse(text, problem, {}, options);
  if (problem || !parsed.is_object()) {
    exchange.error(400, "the body must be a JSON object");
    return false;
  }
  exchange.body = std::move(parsed.get_object());
  return true;
}

/// What a browser asks before a request of another origin; the listener has judged the origin.
bool answer_preflight(Exchange& exchange) {
  const HttpRequest& request = exchange.request();
  if (request.method != "OPTIONS" || header(request, "origin").empty()) return false;
  HttpResponse response;
  response.status = 204;
  response.headers.push_back({"access-control-allow-methods", "GET,HEAD,PUT,PATCH,POST,DELETE"});
  const std::string_view wanted = header(request, "access-control-request-headers");
  if (!wanted.empty()) {
    response.headers.push_back({"access-control-allow-headers", std::string(wanted)});
  }
  exchange.answer(std::move(response));
  return true;
}

}  // namespace

void allow_origin(const HttpRequest& request, HttpResponse& response) {
  const std::string_view origin = header(request, "origin");
  if (!origin.empty()) {
    response.headers.push_back({"access-control-allow-origin", std::string(origin)});
  }
  response.headers.push_back({"vary", "Origin"});
  response.headers.push_back({"x-content-type-options", "nosniff"});
  response.headers.push_back({"x-frame-options", "SAMEORIGIN"});
}

void serve(const ExchangePtr& exchange) {
  if (answer_preflight(*exchange)) return;
  const HttpRequest& request = exchange->request();
  const std::string_view given = request.method;
  const std::string_view method = given == "HEAD" ? std::string_view("GET") : given;
  const std::vector<std::string> path = segments_of(request.target, true);
  for (const Route& route : kRoutes) {
    if (route.method != method) continue;
    auto parameters = parameters_of(route.path, path);
    if (!parameters) continue;
    exchange->parameters = std::move(*parameters);
    if (read_body(*exchange)) route.answer(*exchange);
    return;
  }
  exchange->error(404, "Cannot " + request.method + " " + request.path);
}

}  // namespace gantry::chat_cortask
