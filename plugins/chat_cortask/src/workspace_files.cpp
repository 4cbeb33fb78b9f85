// SPDX-License-Identifier: Apache-2.0
#include "workspace_files.hpp"

#include <gantry/tools/unique_fd.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace gantry::chat_cortask {
namespace {

using tools::UniqueFd;

constexpr int kMostRetries = 64;
constexpr std::size_t kMostRows = 5000;
constexpr int kDeepestFolder = 64;  // folders that are removed inside of each other
constexpr std::array<std::string_view, 3> kFilled{"node_modules", "dist", "__pycache__"};
constexpr mode_t kFileMode = 0644;
constexpr mode_t kFolderMode = 0755;

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

/// The parts of a path without empty ones and single dots; hidden ones and ".." are refused.
Result<std::vector<std::string>> parts_of(const std::string& path) {
  std::vector<std::string> out;
  if (path.find('\0') != std::string::npos || path.size() > 4096) return failure(EINVAL, "");
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

UniqueFd open_beneath(int folder, const std::string& path, std::uint64_t flags, mode_t mode = 0) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: something was renamed on the way, and the kernel cannot be sure.
  for (int i = 0; i < kMostRetries; ++i) {
    const long fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return {};
}

Result<UniqueFd> open_root(const std::string& root) {
  UniqueFd fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd)
    return unavailable("the workspace's folder cannot be opened: " +
                       std::string(std::strerror(errno)));
  return fd;
}

/// The open folder that a path's last part lies in, and that part.
struct Place {
  UniqueFd folder;
  std::string name;
};

Result<Place> find_place(const std::string& root, const std::string& path, bool make_folders) {
  GANTRY_ASSIGN(const auto parts, parts_of(path));
  GANTRY_ASSIGN(UniqueFd base, open_root(root));
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

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failure(errno, {});
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

/// Names in an open folder, without "." and "..".
std::vector<std::string> names_in(const UniqueFd& fd) {
  std::vector<std::string> out;
  const int given = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0);
  const Folder folder(given < 0 ? nullptr : ::fdopendir(given));
  if (!folder) {
    if (given >= 0) ::close(given);
    return out;
  }
  while (const dirent* row = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = row->d_name;
    if (name != "." && name != "..") out.emplace_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

int remove_all(int folder, const std::string& name, int depth) {
  if (::unlinkat(folder, name.c_str(), 0) == 0) return 0;
  if (errno != EISDIR && errno != EPERM) return errno;
  if (depth >= kDeepestFolder) return ELOOP;
  UniqueFd inside(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inside) return errno;
  const int fd = inside.get();
  const UniqueFd listed(::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const std::string& child : names_in(listed)) {
    if (const int problem = remove_all(fd, child, depth + 1); problem != 0) return problem;
  }
  return ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 ? 0 : errno;
}

bool is_shown(const std::string& name) {
  return !name.starts_with('.') && std::find(kFilled.begin(), kFilled.end(), name) == kFilled.end();
}

void walk(int folder, const std::string& prefix, int depth, std::vector<TreeEntry>& out) {
  const UniqueFd listed(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<std::string> files;
  for (const std::string& name : names_in(listed)) {
    if (!is_shown(name) || out.size() >= kMostRows) continue;
    struct stat facts {};
    if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(facts.st_mode)) files.push_back(name);
    if (!S_ISDIR(facts.st_mode)) continue;
    out.push_back({prefix + name, name, "dir"});
    if (depth <= 1) continue;
    const UniqueFd inside(
        ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inside) walk(inside.get(), prefix + name + '/', depth - 1, out);
  }
  for (const std::string& name : files) {
    if (out.size() < kMostRows) out.push_back({prefix + name, name, "file"});
  }
}

}  // namespace

Result<std::string> read_file(const std::string& root, const std::string& path, std::size_t limit) {
  GANTRY_TRY(parts_of(path));
  GANTRY_ASSIGN(const UniqueFd base, open_root(root));
  const UniqueFd file = open_beneath(base.get(), path, O_RDONLY | O_NONBLOCK);
  if (!file) return failure(errno, path);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return failure(errno, path);
  if (!S_ISREG(facts.st_mode)) return not_found("File not found");
  if (static_cast<std::size_t>(facts.st_size) > limit) {
    return Error{Code::OutOfRange, "the file is larger than is read here", {}};
  }
  std::string out;
  std::array<char, 65536> piece{};
  while (out.size() <= limit) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(errno, path);
    if (got == 0) return out;
    out.append(piece.data(), static_cast<std::size_t>(got));
  }
  return Error{Code::OutOfRange, "the file is larger than is read here", {}};
}

Result<void> write_file(const std::string& root, const std::string& path,
                        const std::string& content) {
  GANTRY_ASSIGN(const Place place, find_place(root, path, true));
  const int folder = place.folder.get();
  // Two writers of one file must not share it.
  static std::atomic<std::uint64_t> drafts{0};
  const std::string beside = ".cortask-" + std::to_string(::getpid()) + "-" +
                             std::to_string(++drafts) + "-" + place.name.substr(0, 200);
  UniqueFd file(::openat(folder, beside.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!file) return failure(errno, path);
  Result<void> written = write_all(file.get(), content);
  if (written.ok() && ::renameat(folder, beside.c_str(), folder, place.name.c_str()) != 0) {
    written = failure(errno, path);
  }
  if (!written.ok()) ::unlinkat(folder, beside.c_str(), 0);
  return written;
}

Result<void> remove_path(const std::string& root, const std::string& path) {
  GANTRY_ASSIGN(const Place place, find_place(root, path, false));
  const int problem = remove_all(place.folder.get(), place.name, 0);
  if (problem != 0) return failure(problem, path);
  return {};
}

Result<void> rename_path(const std::string& root, const std::string& from, const std::string& to) {
  GANTRY_ASSIGN(const Place old_place, find_place(root, from, false));
  GANTRY_ASSIGN(const Place new_place, find_place(root, to, true));
  const int done = ::renameat(old_place.folder.get(), old_place.name.c_str(),
                              new_place.folder.get(), new_place.name.c_str());
  if (done != 0) return failure(errno, from);
  return {};
}

Result<std::vector<TreeEntry>> list_tree(const std::string& root, int depth) {
  GANTRY_ASSIGN(const UniqueFd base, open_root(root));
  std::vector<TreeEntry> out;
  walk(base.get(), {}, depth, out);
  return out;
}

Result<std::vector<FileTime>> newest_files(const std::string& root, std::size_t most) {
  GANTRY_ASSIGN(UniqueFd base, open_root(root));
  const int folder = base.get();
  std::vector<FileTime> out;
  const UniqueFd listed(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const std::string& name : names_in(listed)) {
    struct stat facts {};
    if (name.starts_with('.') ||
        ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (!S_ISREG(facts.st_mode)) continue;
    out.push_back({name, static_cast<double>(facts.st_mtim.tv_sec) * 1e3 +
                             static_cast<double>(facts.st_mtim.tv_nsec) / 1e6});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const FileTime& a, const FileTime& b) { return a.mtime > b.mtime; });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace gantry::chat_cortask
