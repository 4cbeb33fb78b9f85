// SPDX-License-Identifier: Apache-2.0
//
// What routes ask for besides the install token: the keys of the runs. Strand only.
#pragma once

#include <gantry/contracts/http.hpp>

#include <optional>
#include <string_view>

#include "exchange.hpp"

namespace gantry::agent_http {

/// Whether a path is only for those who have an install token.
bool needs_token(std::string_view path, const Settings& settings);

/// x-windie-runs-key: the refusal when it is missing or wrong.
std::optional<HttpResponse> runs_key(const Exchange& exchange);
/// x-windie-runs-control-key once one is configured, else the runs key.
std::optional<HttpResponse> stop_all_key(const Exchange& exchange);

}  // namespace gantry::agent_http
