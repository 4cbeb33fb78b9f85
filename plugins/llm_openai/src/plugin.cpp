// SPDX-License-Identifier: Apache-2.0
#include "openai_plugin.hpp"

GANTRY_PLUGIN(gantry::openai::OpenAiPlugin, "llm_openai", "0.1.0")
