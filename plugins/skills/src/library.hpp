// SPDX-License-Identifier: Apache-2.0
//
// All folders of skills, kept in memory as long as nothing changes in them. Any thread; blocks on
// the disk.
#pragma once

#include <gantry/contracts/skill.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "settings.hpp"
#include "skill_folder.hpp"
#include "switches.hpp"
#include "watcher.hpp"

namespace gantry::skills {

using SettingsPtr = std::shared_ptr<const Settings>;

class Library {
 public:
  /// `changed` runs on a thread of the library's own.
  explicit Library(std::function<void()> changed);

  Result<void> start() { return watcher_.start(); }
  void stop() { watcher_.stop(); }

  /// The skills of a scope: of two with one name the workspace's, then the user's, then that of
  /// the earlier system folder.
  [[nodiscard]] SkillListing list(const Settings& settings, const SkillScope& scope,
                                  const Switches& switches);
  /// One of them. Errors: not_found.
  [[nodiscard]] Result<Skill> find(const Settings& settings, const SkillScope& scope,
                                   const Switches& switches, const std::string& name);
  /// The user's own folder. Errors: permission_denied (users have none).
  [[nodiscard]] static Result<std::string> user_folder(const Settings& settings,
                                                       const SkillScope& scope);
  /// Something has been changed that nobody watches, or everything may be different.
  void forget();
  /// Grows with every change.
  [[nodiscard]] std::int64_t revision();

 private:
  struct Slot {
    std::shared_ptr<const Shelf> shelf;  // empty: read it
    std::uint64_t changes = 0;
    std::uint64_t used = 0;
  };

  std::shared_ptr<const Shelf> shelf(const std::string& path, SkillSource source,
                                     const Limits& limits);
  void on_change(const std::set<std::string>& paths);
  void make_room();

  std::function<void()> changed_;
  std::mutex mutex_;
  std::map<std::string, Slot> slots_;  // by path
  std::uint64_t uses_ = 0;
  std::int64_t revision_ = 1;
  Watcher watcher_;  // last: its thread uses what is above
};

}  // namespace gantry::skills
