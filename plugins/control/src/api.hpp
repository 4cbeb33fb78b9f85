// SPDX-License-Identifier: Apache-2.0
// Turns one HTTP request into one call on the bus.
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>

#include <cstdint>

namespace gantry::control {

class Api {
 public:
  explicit Api(Host& host) : host_(host) {}
  void set_max_timeout(std::int64_t ms) { max_timeout_ms_ = ms; }
  /// Answers now or when the called plugin has; a client that goes away cancels the call.
  void handle(const HttpRequest& request, Reply<HttpHandle> reply);

 private:
  Host& host_;
  std::int64_t max_timeout_ms_ = 600'000;
};

}  // namespace gantry::control
