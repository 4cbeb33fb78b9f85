// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "config/yaml.hpp"

namespace gantry::config {
namespace {

std::string errno_reason() { return std::generic_category().message(errno); }

struct OpenFile {
  explicit OpenFile(int opened) : fd(opened) {}
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const int fd;
};

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& file, std::size_t limit,
                                     std::string& reason) {
  // Not waiting: opening a pipe that nobody writes to would hold up the daemon for ever.
  const OpenFile opened(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat info {};
  if (opened.fd < 0 || fstat(opened.fd, &info) != 0) {
    reason = errno_reason();
    return std::nullopt;
  }
  if (!S_ISREG(info.st_mode)) {
    reason = S_ISDIR(info.st_mode) ? "is a directory" : "is no regular file";
    return std::nullopt;
  }
  std::string text;
  char block[16384];
  while (true) {
    const ssize_t got = ::read(opened.fd, block, sizeof block);
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      reason = errno_reason();
      return std::nullopt;
    }
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > limit) {
      reason = "is larger than " + std::to_string(limit) + " bytes";
      return std::nullopt;
    }
  }
}

}  // namespace gantry::config
