// SPDX-License-Identifier: Apache-2.0
//
// The two routes: POST /embed for whoever has the key, GET /health for everybody. Strand only.
#pragma once

#include <gantry/agent_http/exchange.hpp>
#include <gantry/agent_http/routes.hpp>

#include <functional>
#include <span>
#include <utility>

#include "settings.hpp"

namespace gantry::embedding_service {

class ServiceExchange final : public agent_http::Exchange {
 public:
  ServiceExchange(Host& host, const Settings& settings, Ref<HttpRequest> request,
                  std::function<void(HttpResponse)> reply)
      : Exchange(host, std::move(request), std::move(reply)), settings_(settings) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  const Settings& settings_;
};

/// Their exchanges are all ServiceExchanges.
std::span<const agent_http::Route> all_routes();

}  // namespace gantry::embedding_service
