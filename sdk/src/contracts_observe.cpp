// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/observe.hpp>

GANTRY_INSTANTIATE(gantry::ObserverToolRequest)
GANTRY_INSTANTIATE(gantry::ObserverToolResult)
GANTRY_INSTANTIATE(gantry::ObserverToolNames)
GANTRY_INSTANTIATE(gantry::ObserverSense)
GANTRY_INSTANTIATE(gantry::ObserverCacheStatus)
GANTRY_INSTANTIATE(gantry::ObserverStatusReport)
GANTRY_INSTANTIATE(gantry::TraceExportRequest)
GANTRY_INSTANTIATE(gantry::TracePage)
GANTRY_INSTANTIATE(gantry::RecordingListRequest)
GANTRY_INSTANTIATE(gantry::RecordingInfos)
GANTRY_INSTANTIATE(gantry::RecordingReadRequest)
GANTRY_INSTANTIATE(gantry::RecordingContents)
