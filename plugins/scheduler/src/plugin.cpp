// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "scheduler_plugin.hpp"

GANTRY_PLUGIN(gantry::scheduler::SchedulerPlugin, "scheduler", "0.1.0")
