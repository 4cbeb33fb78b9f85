// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "vlm_plugin.hpp"

GANTRY_PLUGIN(gantry::vision_vlm::VlmPlugin, "vision_vlm", "0.1.0")
