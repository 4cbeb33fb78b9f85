// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the protocol shows of the engine's things. Any thread.

#include <gantry/contracts/llm.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/skill.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::gateway {

/// A session as `sessions.list` shows it; times are RFC 3339.
boost::json::object session_row(const SessionInfo& info, const std::string& key,
                                const std::string& user, const AgentSettings* agent);
/// Messages as `chat.history` shows them.
boost::json::array history_rows(const std::vector<HistoryRow>& rows);
/// Text of the latest compaction; empty: there was none.
std::string summary_of(const std::vector<HistoryRow>& rows);
boost::json::object skill_row(const Skill& skill);
/// An agent as `agents.list` shows it.
boost::json::object agent_row(const AgentSettings& agent, bool running);
/// An agent as `GET /v1/agents` shows it.
boost::json::object agent_http_row(const AgentSettings& agent, const std::string& owner, bool usual,
                                   const std::vector<LlmModel>& models);
/// The model that an agent has; nullptr: the catalogue has none of that name.
const LlmModel* model_of(const AgentSettings& agent, const std::vector<LlmModel>& models);
/// Providers as `GET /v1/providers` shows them, with the secrets as ***.
boost::json::array provider_rows(const std::vector<LlmModel>& models);

}  // namespace gantry::gateway
