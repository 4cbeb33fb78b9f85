// SPDX-License-Identifier: Apache-2.0
// The control API's routes, status codes and parameters as tables and plain functions.
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::control {

/// One route. `contract` is empty where the rest of the path names it.
struct RouteRow {
  std::string_view method;
  std::string_view path;
  std::string_view id;
  std::string_view contract;
};

const std::vector<RouteRow>& all_routes();
const RouteRow* find_route(std::string_view id);

/// The mount request for a listener.
MountRequest mount_request(std::string listener);

/// What a request asks of the bus.
struct Question {
  std::string contract;
  std::string json;
  std::string target;
  std::int64_t timeout_ms = 30'000;
  bool is_text = false;  ///< metrics: the answer's `text` is the body
};

/// Errors: invalid_argument with the parameter, what was found and what is allowed.
Result<Question> read_question(const HttpRequest& request, std::int64_t max_timeout_ms);

/// `{"error":{"code","message","detail"}}` with the code's HTTP status.
HttpResponse refusal(const Error& error);
HttpResponse answer(std::string_view json);

}  // namespace gantry::control
