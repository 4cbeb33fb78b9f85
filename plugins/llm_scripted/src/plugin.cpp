// SPDX-License-Identifier: Apache-2.0
#include "scripted_plugin.hpp"

GANTRY_PLUGIN(gantry::scripted::ScriptedPlugin, "llm_scripted", "0.1.0")
