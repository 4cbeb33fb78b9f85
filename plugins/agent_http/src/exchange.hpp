// SPDX-License-Identifier: Apache-2.0
//
// One request on its way, with the plugin's settings. Strand only.
#pragma once

#include <gantry/agent_http/exchange.hpp>

#include <utility>

#include "settings.hpp"
#include "wire.hpp"

namespace gantry::agent_http {

class AgentExchange final : public Exchange {
 public:
  AgentExchange(Host& host, const Settings& settings, Ref<HttpRequest> request,
                std::function<void(HttpResponse)> reply)
      : Exchange(host, std::move(request), std::move(reply)), settings_(settings) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  const Settings& settings_;
};

/// The settings of this plugin, whose exchanges are all AgentExchanges.
inline const Settings& settings_of(const Exchange& exchange) {
  return static_cast<const AgentExchange&>(exchange).settings();
}

}  // namespace gantry::agent_http
