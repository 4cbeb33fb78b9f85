// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pairing for whoever sits at the machine: the contracts behind `gantry pair`. Strand only.

#include <gantry/contracts/schedule.hpp>
#include <gantry/result.hpp>

#include <boost/json/value.hpp>

namespace gantry::gateway {

class Server;

Result<void> serve_pairing(Server& server);

/// A change of a scheduled job as the event `cron` tells it; null: it tells nothing of that.
boost::json::value job_event(const ScheduleChangedEvent& event);

}  // namespace gantry::gateway
