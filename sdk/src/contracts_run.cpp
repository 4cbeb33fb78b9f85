// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/run.hpp>

GANTRY_INSTANTIATE(gantry::RunCreateRequest)
GANTRY_INSTANTIATE(gantry::RunAndEvents)
GANTRY_INSTANTIATE(gantry::RunRequest)
GANTRY_INSTANTIATE(gantry::Run)
GANTRY_INSTANTIATE(gantry::RunEventsRequest)
GANTRY_INSTANTIATE(gantry::RunEventPage)
GANTRY_INSTANTIATE(gantry::RunPostEventRequest)
GANTRY_INSTANTIATE(gantry::RunAndEvent)
GANTRY_INSTANTIATE(gantry::RunControlRequest)
GANTRY_INSTANTIATE(gantry::RunHeartbeatRequest)
GANTRY_INSTANTIATE(gantry::RunHeartbeatAnswer)
GANTRY_INSTANTIATE(gantry::RunDispatchedRequest)
GANTRY_INSTANTIATE(gantry::RunStopAllRequest)
GANTRY_INSTANTIATE(gantry::RunsStopped)
