// SPDX-License-Identifier: Apache-2.0
#pragma once

// WebSockets to the plugin that mounted the route, as gantry.ws.connect/1 streams.

#include <gantry/host.hpp>

#include <memory>
#include <string>
#include <vector>

#include "http_bridge.hpp"

namespace gantry::transport {

/// `subprotocols`: what the plugin speaks, best first.
std::shared_ptr<MountHandler> make_ws_bridge(Host& host, BridgeOptions options,
                                             std::vector<std::string> subprotocols);

}  // namespace gantry::transport
