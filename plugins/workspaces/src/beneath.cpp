// SPDX-License-Identifier: Apache-2.0
#include "beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace gantry::workspaces {
namespace {

constexpr int kMostRetries = 64;
constexpr std::size_t kLongestPath = 4096;
constexpr mode_t kFolderMode = 0755;

UniqueFd open_resolved(int folder, const std::string& path, std::uint64_t flags,
                       std::uint64_t resolve) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = resolve | RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: something was renamed on the way, and the kernel cannot be sure.
  for (int i = 0; i < kMostRetries; ++i) {
    const long fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return {};
}

}  // namespace

Error failure(int number, const std::string& path) {
  switch (number) {
    case EXDEV:
    case ELOOP: return {Code::PermissionDenied, "Path outside workspace", {}};
    case ENOENT:
    case ENOTDIR: return not_found("File not found");
    case EACCES:
    case EPERM: return {Code::PermissionDenied, "Permission denied", {}};
    case EINVAL:
    case ENAMETOOLONG: return invalid_argument("'" + path + "' is no path");
    case EISDIR: return invalid_argument("'" + path + "' is a folder");
    case ENOSYS:
      return unavailable("this kernel cannot keep paths below a folder", "run Linux 5.6 or later");
    default: return unavailable(std::string("the disk: ") + std::strerror(number));
  }
}

Result<std::vector<std::string>> parts_of(const std::string& path) {
  std::vector<std::string> out;
  if (path.find('\0') != std::string::npos || path.size() > kLongestPath) {
    return failure(EINVAL, "");
  }
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part == "..") return failure(EXDEV, path);
    if (!part.empty() && part != "." && part.front() == '.') return not_found("File not found");
    if (!part.empty() && part != ".") out.emplace_back(part);
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
  }
  if (path.starts_with('/')) return failure(EXDEV, path);
  if (out.empty()) return failure(EINVAL, path);
  return out;
}

UniqueFd open_beneath(int folder, const std::string& path, std::uint64_t flags) {
  return open_resolved(folder, path, flags, 0);
}

Result<UniqueFd> open_root(const std::string& root) {
  const UniqueFd top(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string below = root.size() > 1 ? root.substr(1) : ".";
  UniqueFd fd = open_resolved(top.get(), below, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
  if (fd) return fd;
  const int number = errno;
  if (number == ENOSYS) return failure(number, root);
  const std::string reason = number == ELOOP ? "there is a link in its path, and there was none"
                                             : std::string(std::strerror(number));
  return failed_precondition("the workspace's folder " + root + " cannot be opened: " + reason);
}

Result<Place> find_place(const std::string& root, const std::string& path, bool make_folders) {
  GANTRY_ASSIGN(const auto parts, parts_of(path));
  GANTRY_ASSIGN(const UniqueFd base, open_root(root));
  std::string folder = ".";
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const UniqueFd above = open_beneath(base.get(), folder, O_RDONLY | O_DIRECTORY);
    if (!above) return failure(errno, path);
    if (make_folders && ::mkdirat(above.get(), parts[i].c_str(), kFolderMode) != 0 &&
        errno != EEXIST) {
      return failure(errno, path);
    }
    folder += '/' + parts[i];
  }
  Place out{open_beneath(base.get(), folder, O_RDONLY | O_DIRECTORY), parts.back()};
  if (!out.folder) return failure(errno, path);
  return out;
}

}  // namespace gantry::workspaces
