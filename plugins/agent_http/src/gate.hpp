// SPDX-License-Identifier: Apache-2.0
//
// Who may go on: the install token, which is asked for before anything is said about a path, and
// the keys of the runs. Strand only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "exchange.hpp"

namespace gantry::agent_http {

/// Whether a path is only for those who have an install token.
bool needs_token(std::string_view path, const Settings& settings);

/// Goes on with `admitted` when the token is good and has filled in who it is, else answers.
void check_token(const std::shared_ptr<Exchange>& exchange, std::function<void()> admitted);

/// The refusal of a key that is missing or wrong; nullopt: it is right, or none is asked for.
std::optional<HttpResponse> check_key(const HttpRequest& request, KeyKind kind,
                                      const RunsSettings& runs);

}  // namespace gantry::agent_http
