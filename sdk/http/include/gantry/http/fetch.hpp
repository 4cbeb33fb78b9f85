// SPDX-License-Identifier: Apache-2.0
//
// Whole answers with time limits. Called on the strand; `done` runs there, once.
#pragma once

#include <gantry/host.hpp>
#include <gantry/http/client.hpp>
#include <gantry/http/watch.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace gantry::http {

struct HttpAnswer {
  HttpHead head;
  std::string body;
  bool cut = false;  // the body is longer than was read
};

struct FetchLimits {
  PhaseLimits phases;
  std::size_t body = std::size_t{32} << 20U;  // bytes that are read
};

/// One request that can be given up. Errors: those of HttpExchange, deadline_exceeded (its message
/// names the phase). After cancel() nothing is heard any more.
class Fetching {
 public:
  virtual ~Fetching() = default;
  virtual void cancel() = 0;
};

[[nodiscard]] std::shared_ptr<Fetching> begin_fetch(Host& host, const HttpOptions& options,
                                                    HttpRequest request, const FetchLimits& limits,
                                                    std::function<void(Result<HttpAnswer>)> done);

/// One small request that may take `limit` altogether.
void fetch(Host& host, const HttpOptions& options, HttpRequest request, Duration limit,
           std::function<void(Result<HttpAnswer>)> done);

}  // namespace gantry::http
