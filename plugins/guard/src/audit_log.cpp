// SPDX-License-Identifier: Apache-2.0
#include "audit_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gantry::guard {
namespace {

Error trouble(const std::string& path, std::string_view what) {
  return unavailable(
      fmt::format("the audit log {} cannot be {}: {}", path, what, std::strerror(errno)),
      "make its folder, and let the daemon write there");
}

class File {
 public:
  explicit File(const std::string& path)
      : fd_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  [[nodiscard]] std::int64_t size() const {
    struct stat state {};
    return ::fstat(fd_, &state) == 0 ? std::int64_t{state.st_size} : 0;
  }
  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t wrote = ::write(fd_, text.data(), text.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return true;
  }

 private:
  int fd_;
};

std::string numbered(const std::string& path, int number) {
  return number == 0 ? path : fmt::format("{}.{}", path, number);
}

/// Missing files are no failure: there may never have been so many.
Result<void> rotate(const AuditFile& file) {
  if (file.backups == 0) {
    if (std::remove(file.path.c_str()) != 0 && errno != ENOENT) return trouble(file.path, "begun");
    return {};
  }
  for (int number = file.backups; number > 0; --number) {
    const std::string from = numbered(file.path, number - 1);
    if (std::rename(from.c_str(), numbered(file.path, number).c_str()) != 0 && errno != ENOENT) {
      return trouble(from, "renamed");
    }
  }
  return {};
}

}  // namespace

Result<void> append_audit(const AuditFile& file, const std::vector<std::string>& lines) {
  std::size_t next = 0;
  while (next < lines.size()) {
    bool full = false;
    {
      const File out(file.path);
      if (!out.open()) return trouble(file.path, "opened");
      std::int64_t size = out.size();
      for (; next < lines.size(); ++next) {
        const auto length = static_cast<std::int64_t>(lines[next].size()) + 1;
        full = size > 0 && size + length > file.max_bytes;
        if (full) break;
        if (!out.write(lines[next] + '\n')) return trouble(file.path, "written");
        size += length;
      }
    }
    if (full) GANTRY_TRY(rotate(file));
  }
  return {};
}

}  // namespace gantry::guard
