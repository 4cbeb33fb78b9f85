// SPDX-License-Identifier: Apache-2.0
#pragma once
// A session's history as the page shows it. Pure.

#include <gantry/contracts/session.hpp>

#include <map>
#include <string>
#include <vector>

#include "api_wire.hpp"

namespace gantry::chat_cortask {

/// Pictures by artifact, in base64; what is not there is left out.
using Pictures = std::map<std::string, std::string>;

[[nodiscard]] SessionRow session_row(const SessionInfo& info);
[[nodiscard]] std::vector<MessageView> messages_of(const std::vector<HistoryRow>& rows,
                                                   const Pictures& pictures);

}  // namespace gantry::chat_cortask
