// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "ground_plugin.hpp"

GANTRY_PLUGIN(gantry::vision_ground::GroundPlugin, "vision_ground", "0.1.0")
