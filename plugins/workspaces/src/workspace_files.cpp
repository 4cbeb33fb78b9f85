// SPDX-License-Identifier: Apache-2.0
#include "workspace_files.hpp"

#include <gantry/tools/text.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "beneath.hpp"

namespace gantry::workspaces {
namespace {

constexpr std::size_t kMostRows = 5000;
constexpr int kDeepestFolder = 64;  // folders that are removed inside of each other
constexpr std::array<std::string_view, 3> kFilled{"node_modules", "dist", "__pycache__"};
constexpr mode_t kFileMode = 0644;

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
  const UniqueFd inside(
      ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
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

WorkspaceEntry entry_of(const std::string& prefix, const std::string& name,
                        const struct stat& facts) {
  return {prefix + name, name, S_ISDIR(facts.st_mode),
          facts.st_mtim.tv_sec * 1'000'000 + facts.st_mtim.tv_nsec / 1'000};
}

void walk(int folder, const std::string& prefix, int depth, std::vector<WorkspaceEntry>& out) {
  const UniqueFd listed(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<WorkspaceEntry> files;
  for (const std::string& name : names_in(listed)) {
    if (!is_shown(name) || out.size() >= kMostRows) continue;
    struct stat facts {};
    if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(facts.st_mode)) files.push_back(entry_of(prefix, name, facts));
    if (!S_ISDIR(facts.st_mode)) continue;
    out.push_back(entry_of(prefix, name, facts));
    if (depth <= 1) continue;
    const UniqueFd inside(
        ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inside) walk(inside.get(), prefix + name + '/', depth - 1, out);
  }
  for (WorkspaceEntry& file : files) {
    if (out.size() < kMostRows) out.push_back(std::move(file));
  }
}

/// A new file beside the place, called `beside`. Two writers of one file must not share it, and
/// what somebody has put there under the name is not written to.
UniqueFd open_draft(const Place& place, std::string& beside) {
  static std::atomic<std::uint64_t> drafts{0};
  while (true) {
    beside = ".gantry-" + std::to_string(::getpid()) + "-" + std::to_string(++drafts) + "-" +
             place.name.substr(0, 200);
    UniqueFd file(::openat(place.folder.get(), beside.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
    if (file || errno != EEXIST) return file;
  }
}

/// A program stays one, and what was for its owner's eyes only does.
bool keep_mode(const Place& place, int file) {
  struct stat facts {};
  const int known = ::fstatat(place.folder.get(), place.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW);
  if (known != 0 || !S_ISREG(facts.st_mode)) return true;
  return ::fchmod(file, facts.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) == 0;
}

Error too_large() { return {Code::OutOfRange, "the file is larger than is read here", {}}; }

}  // namespace

Result<FileText> read_file(const std::string& root, const std::string& path, std::size_t limit) {
  GANTRY_TRY(parts_of(path));
  GANTRY_ASSIGN(const UniqueFd base, open_root(root));
  const UniqueFd file = open_beneath(base.get(), path, O_RDONLY | O_NONBLOCK);
  if (!file) return failure(errno, path);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return failure(errno, path);
  if (!S_ISREG(facts.st_mode)) return not_found("File not found");
  if (static_cast<std::size_t>(facts.st_size) > limit) return too_large();
  FileText out;
  out.changed_ms = facts.st_mtim.tv_sec * 1'000 + facts.st_mtim.tv_nsec / 1'000'000;
  std::array<char, 65536> piece{};
  while (out.text.size() <= limit) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(errno, path);
    if (got == 0) return out;
    out.text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return too_large();
}

Result<void> write_file(const std::string& root, const std::string& path,
                        std::string_view content) {
  GANTRY_ASSIGN(const Place place, find_place(root, path, true));
  const int folder = place.folder.get();
  std::string beside;
  const UniqueFd file = open_draft(place, beside);
  if (!file) return failure(errno, path);
  Result<void> written = write_all(file.get(), content);
  if (written.ok() && !keep_mode(place, file.get())) written = failure(errno, path);
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

Result<std::vector<WorkspaceEntry>> list_tree(const std::string& root, int depth) {
  GANTRY_ASSIGN(const UniqueFd base, open_root(root));
  std::vector<WorkspaceEntry> out;
  walk(base.get(), {}, depth, out);
  return out;
}

Result<std::vector<WorkspaceEntry>> newest_files(const std::string& root, std::size_t most) {
  GANTRY_ASSIGN(const UniqueFd base, open_root(root));
  std::vector<WorkspaceEntry> out;
  for (const std::string& name : names_in(base)) {
    struct stat facts {};
    if (name.starts_with('.') ||
        ::fstatat(base.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (S_ISREG(facts.st_mode)) out.push_back(entry_of({}, name, facts));
  }
  std::stable_sort(out.begin(), out.end(), [](const WorkspaceEntry& a, const WorkspaceEntry& b) {
    return a.changed_us > b.changed_us;
  });
  if (out.size() > most) out.resize(most);
  return out;
}

WorkspaceReference read_reference(const std::string& root, const std::string& path,
                                  std::size_t limit) {
  WorkspaceReference out;
  out.path = path;
  const auto read = read_file(root, path, limit);
  if (read.ok()) {
    out.outcome = ReferenceOutcome::Text;
    out.text = tools::repaired_utf8(read->text);
  } else if (read.error().code == Code::PermissionDenied) {
    out.outcome = ReferenceOutcome::Outside;
  } else if (read.error().code == Code::OutOfRange) {
    out.outcome = ReferenceOutcome::TooLarge;
  }
  return out;
}

}  // namespace gantry::workspaces
