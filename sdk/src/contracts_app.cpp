// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/app.hpp>

GANTRY_INSTANTIATE(gantry::AppInfo)
GANTRY_INSTANTIATE(gantry::ListAppsRequest)
GANTRY_INSTANTIATE(gantry::AppsForType)
GANTRY_INSTANTIATE(gantry::AppList)
GANTRY_INSTANTIATE(gantry::LaunchAppRequest)
GANTRY_INSTANTIATE(gantry::LaunchedApp)
GANTRY_INSTANTIATE(gantry::AppEndedEvent)
