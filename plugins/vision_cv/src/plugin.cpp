// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "vision_plugin.hpp"

GANTRY_PLUGIN(gantry::vision_cv::VisionPlugin, "vision_cv", "0.1.0")
