// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "perception_plugin.hpp"

GANTRY_PLUGIN(gantry::perception::PerceptionPlugin, "perception", "0.1.0")
