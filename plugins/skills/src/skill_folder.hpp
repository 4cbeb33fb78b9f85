// SPDX-License-Identifier: Apache-2.0
//
// Skills on the disk. Links are not followed below a folder of skills, whoever moves things there
// meanwhile; what is too large or too much is left out and said so. Linux. Blocks on the disk.
#pragma once

#include <gantry/contracts/skill.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::skills {

/// One folder of skills, as it was when it was read.
struct Shelf {
  std::string path;
  bool exists = false;
  bool watched = false;       // changes are told
  std::vector<Skill> skills;  // by name
  std::vector<SkillProblem> problems;
};

/// Reads all skills of a folder. `visit` gets each folder before anything in it is read, the
/// outermost first; it answers whether changes of it will be told.
[[nodiscard]] Shelf read_shelf(const std::string& path, SkillSource source, const Limits& limits,
                               const std::function<bool(const std::string&)>& visit);

/// SKILL.md of a skill, and what lies beside it. Errors: not_found, invalid_argument.
[[nodiscard]] Result<SkillText> read_skill(const Skill& skill, const Limits& limits);

/// A file of a skill. Errors: not_found (also of what lies outside), failed_precondition (no text).
[[nodiscard]] Result<SkillFileText> read_skill_file(const Skill& skill, const std::string& file,
                                                    const Limits& limits);

/// Writes SKILL.md of a skill in a folder of skills; makes what is missing, for this user alone.
/// Errors: unavailable, already_exists (`create_only`), resource_exhausted.
Result<void> write_skill(const std::string& shelf, const std::string& name,
                         std::string_view content, bool create_only, const Limits& limits);

/// Removes a skill with everything in its folder. Errors: not_found, unavailable.
Result<void> remove_skill(const std::string& shelf, const std::string& name);

}  // namespace gantry::skills
