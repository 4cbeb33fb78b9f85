// SPDX-License-Identifier: Apache-2.0
#include "socket_dir.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace gantry::control {
namespace {

Error system_error(const std::string& what, int number) {
  return {Code::FailedPrecondition, what + ": " + std::generic_category().message(number), {}};
}

}  // namespace

Result<void> prepare_socket_dir(const std::string& socket) {
  const std::string dir = std::filesystem::path(socket).parent_path().string();
  if (dir.empty() || socket.front() != '/') {
    return invalid_argument("control.socket: found '" + socket + "', allowed: an absolute path");
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(dir).parent_path(), error);
  if (mkdir(dir.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("cannot make the folder " + dir, errno);
  }
  struct stat info {};
  // Not followed: a link that somebody put there in advance leads wherever they want.
  if (lstat(dir.c_str(), &info) != 0) return system_error("cannot look at " + dir, errno);
  if (!S_ISDIR(info.st_mode)) return failed_precondition(dir + " is no folder");
  if (info.st_uid != geteuid() && info.st_uid != 0) {
    return failed_precondition(dir + " belongs to user " + std::to_string(info.st_uid) +
                               "; set plugins.control.config.socket to a path of your own");
  }
  const bool sticky = (info.st_mode & S_ISVTX) != 0;
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky) {
    return failed_precondition("others may write to " + dir + "; chmod go-w " + dir);
  }
  return {};
}

}  // namespace gantry::control
