// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <gantry/tools/workspace.hpp>

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "needs.hpp"

namespace gantry::skills {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxShelves = 256;

struct Place {
  std::string path;
  SkillSource source;
};

std::optional<std::string> real_folder(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return std::nullopt;
  return real.string();
}

bool is_relative_inside(const std::string& path) {
  return !path.empty() && !path.starts_with('/') && path.find("..") == std::string::npos;
}

/// The workspace's folder of skills, when the workspace lies where it must.
std::optional<std::string> workspace_folder(const Settings& settings, const SkillScope& scope) {
  if (!scope.workspace.starts_with('/') || !is_relative_inside(settings.workspace)) {
    return std::nullopt;
  }
  const auto root = real_folder(scope.workspace);
  if (!root) return std::nullopt;
  const std::string home = tools::home_folder();
  for (const std::string& admitted : settings.workspaces) {
    const auto folder = real_folder(tools::expand_path(admitted, scope.principal, home));
    if (!folder || !tools::lies_within(*root, *folder)) continue;
    const std::string skills = *root + "/" + settings.workspace;
    const auto real = real_folder(skills);  // links must not lead out of the workspace
    if (real && !tools::lies_within(*real, *root)) return std::nullopt;
    return skills;
  }
  return std::nullopt;
}

/// Where the skills of a scope lie, the first ones count.
std::vector<Place> places_of(const Settings& settings, const SkillScope& scope,
                             std::vector<SkillProblem>& problems) {
  std::vector<Place> out;
  if (!scope.workspace.empty()) {
    if (auto folder = workspace_folder(settings, scope)) {
      out.push_back({std::move(*folder), SkillSource::Workspace});
    } else if (!settings.workspace.empty()) {
      problems.push_back({scope.workspace, SkillSource::Workspace,
                          "the workspace does not lie in one of the folders of `workspaces`, so "
                          "its skills do not count"});
    }
  }
  const std::string home = tools::home_folder();
  if (!settings.user.empty()) {
    out.push_back({tools::expand_path(settings.user, scope.principal, home), SkillSource::User});
  }
  for (const std::string& path : settings.system) {
    out.push_back({tools::expand_path(path, scope.principal, home), SkillSource::System});
  }
  return out;
}

bool fits(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

bool is_for_agent(const Settings& settings, const std::string& agent, const std::string& name) {
  if (agent.empty()) return true;
  for (const AgentSkills& entry : settings.agents) {
    if (entry.agent == agent) return fits(entry.skills, name);
  }
  return true;
}

}  // namespace

Library::Library(std::function<void()> changed)
    : changed_(std::move(changed)),
      watcher_([this](const std::set<std::string>& paths) { on_change(paths); }) {}

SkillListing Library::list(const Settings& settings, const SkillScope& scope,
                           const Switches& switches) {
  SkillListing out;
  out.revision = revision();
  std::map<std::string, Skill> found;
  for (const Place& place : places_of(settings, scope, out.problems)) {
    const auto read = shelf(place.path, place.source, settings.limits);
    for (const Skill& skill : read->skills) {
      if (is_for_agent(settings, scope.agent, skill.name)) found.try_emplace(skill.name, skill);
    }
    out.problems.insert(out.problems.end(), read->problems.begin(), read->problems.end());
  }
  for (auto& [name, skill] : found) {
    check_needs(skill);
    const auto& off = switches.disabled;
    skill.enabled = std::find(off.begin(), off.end(), name) == off.end();
    if (!skill.enabled) skill.reason = "it is switched off";
    out.skills.push_back(std::move(skill));
  }
  return out;
}

Result<Skill> Library::find(const Settings& settings, const SkillScope& scope,
                            const Switches& switches, const std::string& name) {
  SkillListing all = list(settings, scope, switches);
  const auto found = std::find_if(all.skills.begin(), all.skills.end(),
                                  [&](const Skill& skill) { return skill.name == name; });
  if (found == all.skills.end()) {
    return not_found("there is no skill '" + name + "'; list the skills");
  }
  return std::move(*found);
}

Result<std::string> Library::user_folder(const Settings& settings, const SkillScope& scope) {
  const std::string path = tools::expand_path(settings.user, scope.principal, tools::home_folder());
  if (path.starts_with('/')) return path;
  return Error{
      Code::PermissionDenied,
      "users have no skills of their own here; set `user` of the plugin skills to a folder",
      {}};
}

std::shared_ptr<const Shelf> Library::shelf(const std::string& path, SkillSource source,
                                            const Limits& limits) {
  std::uint64_t changes = 0;
  {
    const std::lock_guard lock(mutex_);
    Slot& slot = slots_[path];
    slot.used = ++uses_;
    if (slot.shelf) return slot.shelf;
    changes = slot.changes;
    make_room();
  }
  auto read = std::make_shared<const Shelf>(read_shelf(
      path, source, limits, [&](const std::string& folder) { return watcher_.add(folder, path); }));
  const std::lock_guard lock(mutex_);
  const auto slot = slots_.find(path);
  // What is not watched, or has changed while it was read, is read again the next time.
  if (slot != slots_.end() && slot->second.changes == changes && read->exists && read->watched) {
    slot->second.shelf = read;
  }
  return read;
}

void Library::make_room() {
  while (slots_.size() > kMaxShelves) {
    const auto oldest = std::min_element(
        slots_.begin(), slots_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    watcher_.remove(oldest->first);
    slots_.erase(oldest);
  }
}

void Library::on_change(const std::set<std::string>& paths) {
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& path : paths) {
      const auto slot = slots_.find(path);
      if (slot == slots_.end()) continue;
      ++slot->second.changes;
      slot->second.shelf = nullptr;
    }
    ++revision_;
  }
  changed_();
}

std::int64_t Library::revision() {
  const std::lock_guard lock(mutex_);
  return revision_;
}

void Library::forget() {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [path, slot] : slots_) {
      ++slot.changes;
      slot.shelf = nullptr;
    }
    ++revision_;
  }
  changed_();
}

}  // namespace gantry::skills
