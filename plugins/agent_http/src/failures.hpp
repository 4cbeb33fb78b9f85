// SPDX-License-Identifier: Apache-2.0
//
// Refusals and failures under the codes of the published text ("Error responses"). Strand only.
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <string_view>

namespace gantry::agent_http {

/// Which code an answer of at least 400 is counted under. Pure.
[[nodiscard]] AgentErrorCode failure_code(std::string_view path, std::int32_t status);

/// Counts and logs an answer that is a refusal or failure; nothing for others.
void count_failure(Host& host, const HttpRequest& request, const HttpResponse& response);

}  // namespace gantry::agent_http
