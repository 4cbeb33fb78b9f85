// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "vad_plugin.hpp"

GANTRY_PLUGIN(gantry::vad_silero::VadPlugin, "vad_silero", "0.1.0")
