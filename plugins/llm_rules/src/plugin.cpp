// SPDX-License-Identifier: Apache-2.0
#include "rules_plugin.hpp"

GANTRY_PLUGIN(gantry::rules::RulesPlugin, "llm_rules", "0.1.0")
