// SPDX-License-Identifier: Apache-2.0
// One daemon for each control socket, from before its first plugin starts: of two that are started
// at once, neither listens when the other looks.
#pragma once

#include <filesystem>
#include <string>

namespace gantry::cli {

/// Takes the lock `<socket>.lock` for as long as the process lives; its folder is made when it is
/// not there. Answers who has it, "process 12 (gantry) has <socket>.lock", or "" when it is ours,
/// and also when there can be no lock (a folder of somebody else, a full disk): who opens the
/// socket then says what is wrong.
std::string lock_folder(const std::filesystem::path& socket);

}  // namespace gantry::cli
