// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "transcription_plugin.hpp"

GANTRY_PLUGIN(gantry::transcription_ws::TranscriptionPlugin, "transcription_ws", "0.1.0")
