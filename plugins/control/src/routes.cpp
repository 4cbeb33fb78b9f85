// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/control.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/http_status.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gantry::control {
namespace {

constexpr std::string_view kJsonType = "application/json";

const std::string* parameter(const std::vector<HttpParameter>& among, std::string_view name) {
  for (const auto& item : among) {
    if (item.name == name) return &item.value;
  }
  return nullptr;
}

Result<std::int64_t> read_number(const HttpRequest& request, std::string_view name,
                                 std::int64_t fallback, std::int64_t most) {
  const auto* text = parameter(request.query, name);
  if (text == nullptr) return fallback;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || at != end || value < 1 || value > most) {
    return invalid_argument(std::string(name) + ": found '" + *text +
                            "', allowed: an integer in 1…" + std::to_string(most));
  }
  return value;
}

// What these register belongs to their caller: through this API they would replace its own routes.
bool is_for_plugins(std::string_view contract) {
  constexpr std::array<std::string_view, 2> kOfTheCaller{HttpListen::kName, HttpMount::kName};
  return std::find(kOfTheCaller.begin(), kOfTheCaller.end(), contract) != kOfTheCaller.end();
}

}  // namespace

const std::vector<RouteRow>& all_routes() {
  static const std::vector<RouteRow> kRoutes{
      {"POST", "/v1/call/*", "call", ""},
      {"GET", "/v1/plugins", "plugins", KernelPlugins::kName},
      {"GET", "/v1/health", "health", KernelHealth::kName},
      {"GET", "/v1/contracts", "contracts", KernelContracts::kName},
      {"GET", "/v1/trace", "trace", KernelTrace::kName},
      {"GET", "/v1/config", "config", KernelConfig::kName},
      {"GET", "/metrics", "metrics", KernelMetrics::kName},
  };
  return kRoutes;
}

const RouteRow* find_route(std::string_view id) {
  for (const auto& row : all_routes()) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

MountRequest mount_request(std::string listener) {
  MountRequest mount;
  mount.listener = std::move(listener);
  for (const auto& row : all_routes()) {
    HttpRoute route;
    route.methods = {std::string(row.method)};
    route.path = row.path;
    route.id = row.id;
    mount.routes.push_back(std::move(route));
  }
  mount.not_found_id = "none";
  return mount;
}

Result<Question> read_question(const HttpRequest& request, std::int64_t max_timeout_ms) {
  const RouteRow* row = find_route(request.route);
  if (row == nullptr) {
    std::string known;
    for (const auto& route : all_routes()) {
      known +=
          (known.empty() ? "" : ", ") + std::string(route.method) + " " + std::string(route.path);
    }
    return not_found("there is no " + request.method + " " + request.path +
                     "; there are: " + known);
  }
  Question question;
  question.contract = row->contract;
  question.json = "{}";
  question.is_text = row->id == "metrics";
  if (row->contract.empty()) {
    const auto* rest = parameter(request.path_parameters, "*");
    if (rest == nullptr || rest->empty()) {
      return invalid_argument("the path names no contract; write /v1/call/gantry.kernel.health/1");
    }
    question.contract = *rest;
    if (is_for_plugins(question.contract)) {
      return Error{Code::PermissionDenied,
                   question.contract +
                       " acts for the plugin that calls it, here the control API itself; only a "
                       "plugin of your own can use it",
                   {}};
    }
    if (!request.body.text().empty()) question.json = std::string(request.body.text());
  }
  if (row->id == "trace") {
    GANTRY_ASSIGN(const std::int64_t limit, read_number(request, "limit", 200, 10'000));
    question.json = "{\"limit\":" + std::to_string(limit) + "}";
  }
  const std::int64_t usual = std::min(question.timeout_ms, max_timeout_ms);
  GANTRY_ASSIGN(question.timeout_ms, read_number(request, "timeout_ms", usual, max_timeout_ms));
  if (const auto* target = parameter(request.query, "target")) question.target = *target;
  return question;
}

HttpResponse refusal(const Error& error) {
  ControlFailure failure;
  failure.error.code = code_name(error.code);
  failure.error.message = error.message;
  if (!error.detail.empty()) failure.error.detail = Json(error.detail);
  HttpResponse response = answer(to_json(failure));
  response.status = http_status_of(error.code);
  return response;
}

HttpResponse answer(std::string_view json) {
  HttpResponse response;
  response.content_type = kJsonType;
  response.body = Buffer::copy(json);
  return response;
}

}  // namespace gantry::control
