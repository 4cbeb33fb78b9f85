// SPDX-License-Identifier: Apache-2.0
// Code that is loaded into the daemon has the daemon's rights: who could have written it?
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>

namespace gantry::plugin {

/// Judges files by who could have written them. Folders that many files share are looked at once,
/// so one object is for one look at the disk, not for keeping. Thread rules: one thread at a time.
class Trust {
 public:
  /// `user`: whose daemon this is; root and this user may own what is loaded.
  explicit Trust(uid_t user) : user_(user) {}

  /// "" when only root or the user can change the file, else the sentence that says who else and
  /// what to do. The file and every folder above it must belong to root or the user and must not be
  /// writable by group or others (a sticky folder such as /tmp is fine above the plugin's own).
  std::string distrust(const std::filesystem::path& file);

  /// True when the folder `dir` lies under `root`, after links are followed.
  bool is_inside(const std::filesystem::path& dir, const std::filesystem::path& root);

 private:
  /// The folder with all links followed; empty with `error` set when that cannot be done.
  std::filesystem::path real_folder(const std::filesystem::path& dir, std::error_code& error);
  /// The verdict on a plugin's own folder and all that are above it.
  const std::string& distrust_folders(const std::filesystem::path& own);

  uid_t user_;
  std::map<std::filesystem::path, std::filesystem::path> real_folders_;
  std::map<std::filesystem::path, std::string> verdicts_;
};

}  // namespace gantry::plugin
