// SPDX-License-Identifier: Apache-2.0
#include "needs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace gantry::skills {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = text.find(at);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

bool is_program(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

bool on_path(const std::string& program) {
  if (program.empty() || program.find('/') != std::string::npos) return false;
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  const std::vector<std::string> folders = split(path, ':');
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return folder.starts_with('/') && is_program(folder + "/" + program);
  });
}

bool is_set(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

bool is_met(const SkillNeed& need) {
  const std::vector<std::string> names = split(need.name, '|');
  switch (need.kind) {
    case SkillNeedKind::Program: return on_path(need.name);
    case SkillNeedKind::AnyProgram: return std::any_of(names.begin(), names.end(), &on_path);
    case SkillNeedKind::Environment: return is_set(need.name);
    case SkillNeedKind::System:
      return std::find(names.begin(), names.end(), "linux") != names.end();
  }
  return false;
}

std::string words(const SkillNeed& need) {
  const std::string cure = need.cure.empty() ? "" : " (" + need.cure + ")";
  switch (need.kind) {
    case SkillNeedKind::Program: return "the program " + need.name + " is not installed" + cure;
    case SkillNeedKind::AnyProgram:
      return "none of the programs " + need.name + " is installed" + cure;
    case SkillNeedKind::Environment: return "the variable " + need.name + " is not set" + cure;
    case SkillNeedKind::System: return "it is for " + need.name;
  }
  return {};
}

}  // namespace

void check_needs(Skill& skill) {
  skill.eligible = true;
  for (SkillNeed& need : skill.needs) {
    need.met = is_met(need);
    if (need.met) continue;
    skill.eligible = false;
    skill.reason += (skill.reason.empty() ? "" : "; ") + words(need);
  }
}

}  // namespace gantry::skills
