// SPDX-License-Identifier: Apache-2.0
//
// Answers as they are on the wire. No member's name is spelt anywhere else. Any thread.
#pragma once

#include <gantry/contracts/agent_backend.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/identity.hpp>
#include <gantry/contracts/run.hpp>
#include <gantry/result.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gantry/agent_http/answers.hpp>

namespace gantry::agent_http {

boost::json::object registered_view(const RegisteredInstall& made);
boost::json::object me_view(const IdentityVerified& who);

// ---- introspection (introspection_view.cpp) -----------------------------------------------------

/// The payload of the `query` message that a body describes.
Json planned_query(const boost::json::object& body);
/// Nothing when the catalogue is no list of objects.
std::optional<boost::json::object> models_view(const AgentPlanned& planned,
                                               const AgentModelRows& models);
boost::json::object tool_schemas_view(const AgentPlanned& planned);
boost::json::object tool_view(const AgentPlanned& planned, const AgentTool& tool);
boost::json::object system_prompt_view(const AgentPlanned& planned);
boost::json::object prompt_preview_view(const AgentPlanned& planned);
boost::json::object query_plan_view(const AgentPlanned& planned);
/// What is wrong with a body that the agent's protocol refused; empty: the error names no place.
std::vector<Issue> issues_of(const Error& error, const boost::json::value& body);

// ---- runs ---------------------------------------------------------------------------------------

boost::json::object run_view(const Run& run);
boost::json::object event_view(const RunEvent& event);
boost::json::object run_with_events(const RunAndEvents& created);
boost::json::object run_with_event(const RunAndEvent& changed);
boost::json::object event_page(const RunEventPage& page);
boost::json::object heartbeat_view(const RunHeartbeatAnswer& answer);
boost::json::object stopped_view(const RunsStopped& stopped);

}  // namespace gantry::agent_http
