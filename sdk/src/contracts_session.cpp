// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/session.hpp>

GANTRY_INSTANTIATE(gantry::SessionKey)
GANTRY_INSTANTIATE(gantry::HistoryRow)
GANTRY_INSTANTIATE(gantry::ImageRef)
GANTRY_INSTANTIATE(gantry::SessionInfo)
GANTRY_INSTANTIATE(gantry::SessionOpenRequest)
GANTRY_INSTANTIATE(gantry::SessionListRequest)
GANTRY_INSTANTIATE(gantry::SessionInfoList)
GANTRY_INSTANTIATE(gantry::SessionPatchRequest)
GANTRY_INSTANTIATE(gantry::SessionHistoryRequest)
GANTRY_INSTANTIATE(gantry::SessionHistoryRows)
GANTRY_INSTANTIATE(gantry::SessionRehydrateRequest)
GANTRY_INSTANTIATE(gantry::SessionAppendRequest)
GANTRY_INSTANTIATE(gantry::SessionCompactRequest)
GANTRY_INSTANTIATE(gantry::CompactionReport)
GANTRY_INSTANTIATE(gantry::SessionDeleteRequest)
GANTRY_INSTANTIATE(gantry::SessionEvent)
GANTRY_INSTANTIATE(gantry::SessionWatchRequest)
GANTRY_INSTANTIATE(gantry::SessionEvents)
GANTRY_INSTANTIATE(gantry::SessionPollRequest)
