// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "runs_plugin.hpp"

GANTRY_PLUGIN(gantry::runs::RunsPlugin, "runs", "0.1.0")
