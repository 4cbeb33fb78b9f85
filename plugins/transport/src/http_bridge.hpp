// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests to the plugin that mounted the route: gantry.http.handle/1 for answers in one piece,
// gantry.http.exchange/1 for streamed ones.

#include <gantry/host.hpp>

#include <memory>
#include <string>

#include "handler.hpp"

namespace gantry::transport {

struct BridgeOptions {
  std::string target;  ///< the mounting plugin
  std::string route;   ///< its name for the route
  Duration timeout{0};
  size_t queue_limit = 0;
};

std::shared_ptr<MountHandler> make_call_bridge(Host& host, BridgeOptions options);
std::shared_ptr<MountHandler> make_exchange_bridge(Host& host, BridgeOptions options);

}  // namespace gantry::transport
