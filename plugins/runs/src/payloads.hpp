// SPDX-License-Identifier: Apache-2.0
//
// The payloads of the events that this plugin adds itself.
#pragma once

#include <gantry/contracts/run.hpp>
#include <gantry/json.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace gantry::runs {

/// The text as JSON, or null: payloads always have all of their members.
Json text_or_null(const std::optional<std::string>& text);

struct CreatedPayload {
  std::string workspace_id;
  Json agent_id;
  std::string conversation_ref;
  Json requested_by;
  RunStatus status = RunStatus::awaiting_worker;
};
BOOST_DESCRIBE_STRUCT(CreatedPayload, (),
                      (workspace_id, agent_id, conversation_ref, requested_by, status))

/// What happened, and how the run stands after it.
struct TracePayload {
  std::string event;
  RunStatus status = RunStatus::awaiting_worker;
  RunControlMode control_mode = RunControlMode::agent_only;
  std::string conversation_ref;
};
BOOST_DESCRIBE_STRUCT(TracePayload, (), (event, status, control_mode, conversation_ref))

struct ControlPayload {
  std::string action;
  Json requested_by;
  RunControlMode control_mode = RunControlMode::agent_only;
  RunStatus status = RunStatus::awaiting_worker;
  std::string command_id;
  std::optional<bool> bulk;
};
BOOST_DESCRIBE_STRUCT(ControlPayload, (),
                      (action, requested_by, control_mode, status, command_id, bulk))

struct WorkerPayload {
  std::string worker_id;
  std::string vm_id;
  std::string user_id;
  std::string status;
};
BOOST_DESCRIBE_STRUCT(WorkerPayload, (), (worker_id, vm_id, user_id, status))

struct DispatchedPayload {
  std::string worker_id;
  std::string turn_ref;
  std::string conversation_ref;
};
BOOST_DESCRIBE_STRUCT(DispatchedPayload, (), (worker_id, turn_ref, conversation_ref))

/// The one member of a run's metadata that means something here.
struct Metadata {
  std::optional<std::string> conversation_ref;
};
BOOST_DESCRIBE_STRUCT(Metadata, (), (conversation_ref))

/// Error::detail of a control that comes too late.
struct EndedDetail {
  std::string reason;
  RunStatus status = RunStatus::completed;
};
BOOST_DESCRIBE_STRUCT(EndedDetail, (), (reason, status))

/// Error::detail of a workspace that has as many active runs as it may.
struct LimitDetail {
  std::string reason;
  std::int64_t limit = 0;
};
BOOST_DESCRIBE_STRUCT(LimitDetail, (), (reason, limit))

}  // namespace gantry::runs
