// SPDX-License-Identifier: Apache-2.0
//
// Cross-origin headers for the origins of the configuration. Whether a foreign page may ask at all
// is the listener's decision; these headers let a page read the answer.
#pragma once

#include <gantry/contracts/http.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gantry::agent_http {

/// The answer to a preflight; nullopt: it is none.
std::optional<HttpResponse> preflight(const HttpRequest& request,
                                      const std::vector<std::string>& origins);
/// Adds what a page of a listed origin needs.
void allow_origin(const HttpRequest& request, const std::vector<std::string>& origins,
                  HttpResponse& response);

}  // namespace gantry::agent_http
