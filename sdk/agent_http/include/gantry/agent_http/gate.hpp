// SPDX-License-Identifier: Apache-2.0
//
// The install token, which is asked for before anything is said about a path. Strand only.
#pragma once

#include <gantry/agent_http/exchange.hpp>

#include <functional>
#include <memory>

namespace gantry::agent_http {

/// Goes on with `admitted` when the token is good and has filled in who it is, else answers.
void check_token(const std::shared_ptr<Exchange>& exchange, std::function<void()> admitted);

}  // namespace gantry::agent_http
