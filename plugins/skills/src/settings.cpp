// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

#include "arguments.hpp"
#include "switches.hpp"

GANTRY_INSTANTIATE(gantry::skills::Settings)
GANTRY_INSTANTIATE(gantry::skills::SkillArguments)
GANTRY_INSTANTIATE(gantry::skills::Switches)

namespace gantry::skills {

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::skills
