// SPDX-License-Identifier: Apache-2.0
// Who has what this daemon wanted to listen on.
#pragma once

#include <filesystem>
#include <string>

namespace gantry::cli {

/// "process 812 (python3)", without the name when the process is gone.
std::string process_name(const std::string& pid, const std::filesystem::path& proc = "/proc");

/// The process that listens on a TCP port: "process 812 (python3)", or "" when there is none or
/// the system does not tell this user. `proc` is where the process file system is mounted.
std::string holder_of_port(int port, const std::filesystem::path& proc = "/proc");

/// Who accepts connections at a Unix-domain socket: "process 812 (gantry)"; "" when nobody does.
std::string holder_of_socket(const std::string& path);

}  // namespace gantry::cli
