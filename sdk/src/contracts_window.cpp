// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/window.hpp>

GANTRY_INSTANTIATE(gantry::WindowInfo)
GANTRY_INSTANTIATE(gantry::ListWindowsRequest)
GANTRY_INSTANTIATE(gantry::WindowList)
GANTRY_INSTANTIATE(gantry::ActivateWindowRequest)
GANTRY_INSTANTIATE(gantry::ActivateWindowResult)
GANTRY_INSTANTIATE(gantry::WindowChangedEvent)
GANTRY_INSTANTIATE(gantry::MonitorInfo)
GANTRY_INSTANTIATE(gantry::MonitorList)
