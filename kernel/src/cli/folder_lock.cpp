// SPDX-License-Identifier: Apache-2.0
#include "cli/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>

#include "cli/holder.hpp"

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

// Whoever else may write there could hold the lock against us.
bool is_ours_alone(const fs::path& dir) {
  struct stat info {};
  return lstat(dir.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string pid_in(int file) {
  std::array<char, 32> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  std::string pid(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  pid.erase(std::find_if(pid.begin(), pid.end(), [](unsigned char c) { return !std::isdigit(c); }),
            pid.end());
  return pid;
}

// For whoever finds the lock taken; that it is taken does not depend on it.
void write_pid(int file) {
  const std::string pid = std::to_string(getpid()) + "\n";
  [[maybe_unused]] const bool written =
      ftruncate(file, 0) == 0 && pwrite(file, pid.data(), pid.size(), 0) > 0;
}

}  // namespace

std::string lock_folder(const fs::path& socket) {
  const fs::path dir = socket.parent_path();
  std::error_code ignored;
  fs::create_directories(dir.parent_path(), ignored);
  (void)mkdir(dir.c_str(), S_IRWXU);
  if (!is_ours_alone(dir)) return {};
  const std::string path = socket.string() + ".lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (file < 0) return {};
  if (flock(file, LOCK_EX | LOCK_NB) == 0) {
    write_pid(file);
    return {};  // the file stays open: the lock ends with the process
  }
  const bool taken = errno == EWOULDBLOCK;
  const std::string pid = pid_in(file);
  close(file);
  if (!taken) return {};
  return (pid.empty() ? "a process" : process_name(pid)) + " has " + path;
}

}  // namespace gantry::cli
