// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "openai_plugin.hpp"

GANTRY_PLUGIN(gantry::tts_openai::OpenAiVoicePlugin, "tts_openai", "0.1.0")
