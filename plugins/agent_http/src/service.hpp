// SPDX-License-Identifier: Apache-2.0
//
// The way of a request: preflight, install token, route, JSON, key, model of the body, and then
// what the route does. In this order, because clients see which refusal comes first. Strand only.
#pragma once

#include <memory>

#include "exchange.hpp"

namespace gantry::agent_http {

/// Answers the exchange, now or later.
void serve(const std::shared_ptr<Exchange>& exchange);

}  // namespace gantry::agent_http
