// SPDX-License-Identifier: Apache-2.0
//
// Whether what a skill needs is there: programs, variables, the system. Looks at the disk.
#pragma once

#include <gantry/contracts/skill.hpp>

#include <string>

namespace gantry::skills {

/// Fills in `met` of the needs, `eligible`, and `reason` of who is not.
void check_needs(Skill& skill);

}  // namespace gantry::skills
