// SPDX-License-Identifier: Apache-2.0
//
// Skills as a model reads them. Pure functions.
#pragma once

#include <gantry/contracts/skill.hpp>
#include <gantry/contracts/tool.hpp>

#include <string>
#include <vector>

namespace gantry::skills {

/// The skills that are offered, a line each; and those that would be if something were installed.
[[nodiscard]] std::string list_text(const SkillListing& listing);
/// A skill with where it lies, what it wants, and its instructions.
[[nodiscard]] std::string skill_text(const SkillText& text);
/// The tool; `shared` are skills of everybody, which it names.
[[nodiscard]] ToolDescription describe_tool(const std::vector<Skill>& shared);

}  // namespace gantry::skills
