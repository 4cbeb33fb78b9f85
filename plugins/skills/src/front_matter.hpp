// SPDX-License-Identifier: Apache-2.0
//
// SKILL.md: YAML between two lines of ---, then the instructions. Pure functions; the YAML library
// and its exceptions do not leave the source file.
#pragma once

#include <gantry/contracts/skill.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>

namespace gantry::skills {

/// What a SKILL.md says. Of the skill everything is filled in that its text knows: not where it
/// lies, and not whether its needs are met.
struct SkillDocument {
  Skill skill;
  std::string instructions;
};

/// `name` is the folder's. Errors: invalid_argument, with the line where there is one.
[[nodiscard]] Result<SkillDocument> read_document(std::string_view name, std::string_view text);

/// ^[a-z0-9]([a-z0-9-]*[a-z0-9])?$, up to 64 characters.
[[nodiscard]] bool is_skill_name(std::string_view text);

/// Whether a text begins with front matter.
[[nodiscard]] bool has_front_matter(std::string_view text);

/// A SKILL.md of instructions that have no front matter.
[[nodiscard]] std::string write_document(std::string_view name, std::string_view description,
                                         std::string_view instructions);

}  // namespace gantry::skills
