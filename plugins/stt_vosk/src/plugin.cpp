// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "vosk_plugin.hpp"

GANTRY_PLUGIN(gantry::stt_vosk::VoskPlugin, "stt_vosk", "0.1.0")
