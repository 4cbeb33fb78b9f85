// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "skills_plugin.hpp"

GANTRY_PLUGIN(gantry::skills::SkillsPlugin, "skills", "0.1.0")
