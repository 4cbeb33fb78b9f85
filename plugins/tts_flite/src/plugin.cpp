// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "flite_plugin.hpp"

GANTRY_PLUGIN(gantry::tts_flite::FlitePlugin, "tts_flite", "0.1.0")
