// SPDX-License-Identifier: Apache-2.0
//
// What happens to a run: its states, and the events that tell of them. Pure functions; each changes
// the record and answers the events to append, in order.
#pragma once

#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace gantry::runs {

using Events = std::vector<EventBody>;

[[nodiscard]] bool is_active(RunStatus status);
/// Active, or with something left to tell its worker.
[[nodiscard]] bool is_live(const Record& record);
/// Waits for a worker: nobody has it and nobody holds it back.
[[nodiscard]] bool is_waiting(const Record& record);
[[nodiscard]] bool belongs_to(const Record& record, const RunHeartbeatRequest& worker);

/// The wire's name of an action: "pause", "set-control-mode".
[[nodiscard]] std::string_view action_name(RunAction action);
[[nodiscard]] std::string_view status_name(RunStatus status);

Events create(Record& record, const RunCreateRequest& request, std::string run_id,
              std::int64_t now_ms);
Events post_event(Record& record, const RunPostEventRequest& request, std::int64_t now_ms);

struct Control {
  RunAction action = RunAction::pause;
  std::optional<std::string> requested_by;
  std::optional<RunControlMode> control_mode;
  std::string command_id;
  bool bulk = false;
};
/// Errors: invalid_argument (no control_mode), failed_precondition (it has ended).
Result<Events> control(Record& record, const Control& wanted, std::int64_t now_ms);

/// Its worker is there.
Events heartbeat(Record& record, const RunHeartbeatRequest& worker, std::int64_t now_ms);
Events assign(Record& record, const RunHeartbeatRequest& worker, std::int64_t now_ms);
/// Error: not_found (it is another worker's, or another user's).
Result<Events> dispatched(Record& record, const RunDispatchedRequest& request, std::int64_t now_ms);

}  // namespace gantry::runs
