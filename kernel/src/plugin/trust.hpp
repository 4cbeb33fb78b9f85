// SPDX-License-Identifier: Apache-2.0
// Code that is loaded into the daemon has the daemon's rights: who could have written it?
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace gantry::plugin {

/// "" when only root or `user` can change the file, else the sentence that says who else and what
/// to do. The file and every folder above it must belong to root or `user` and must not be
/// writable by group or others (a sticky folder such as /tmp is fine above the plugin's own).
std::string distrust(const std::filesystem::path& file, uid_t user);

/// True when `path` lies under `root`, after links are followed.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& root);

}  // namespace gantry::plugin
