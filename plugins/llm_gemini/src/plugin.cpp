// SPDX-License-Identifier: Apache-2.0
#include "gemini_plugin.hpp"

GANTRY_PLUGIN(gantry::gemini::GeminiPlugin, "llm_gemini", "0.1.0")
