// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/skill.hpp>

GANTRY_INSTANTIATE(gantry::SkillListRequest)
GANTRY_INSTANTIATE(gantry::SkillListing)
GANTRY_INSTANTIATE(gantry::SkillGetRequest)
GANTRY_INSTANTIATE(gantry::SkillText)
GANTRY_INSTANTIATE(gantry::Skill)
GANTRY_INSTANTIATE(gantry::SkillFileRequest)
GANTRY_INSTANTIATE(gantry::SkillFileText)
GANTRY_INSTANTIATE(gantry::SkillSaveRequest)
GANTRY_INSTANTIATE(gantry::SkillDeleteRequest)
GANTRY_INSTANTIATE(gantry::SkillEnableRequest)
GANTRY_INSTANTIATE(gantry::SkillsChangedEvent)
