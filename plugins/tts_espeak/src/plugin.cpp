// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "espeak_plugin.hpp"

GANTRY_PLUGIN(gantry::tts_espeak::EspeakPlugin, "tts_espeak", "0.1.0")
