// SPDX-License-Identifier: Apache-2.0
#include "anthropic_plugin.hpp"

GANTRY_PLUGIN(gantry::anthropic::AnthropicPlugin, "llm_anthropic", "0.1.0")
