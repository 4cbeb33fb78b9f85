// SPDX-License-Identifier: Apache-2.0
#include "roots.hpp"

#include <fcntl.h>
#include <gantry/tools/workspace.hpp>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace gantry::files {
namespace {

constexpr std::int64_t kNsInSecond = 1'000'000'000;
constexpr int kMostMoves = 4;

Error refused(Code code, std::string message) { return {code, std::move(message), {}}; }

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "no regular file";
}

Result<void> must_be_file(const struct stat& facts, const std::string& asked) {
  if (S_ISREG(facts.st_mode)) return {};
  return failed_precondition(asked + " is " + std::string(kind_of(facts.st_mode)) +
                             "; only regular files are read and written");
}

struct Split {
  std::string folder;
  std::string name;
};
/// The last component apart; empty name: there is none that a file could have.
Split split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  Split out;
  out.folder = slash == std::string::npos ? "" : path.substr(0, slash);
  out.name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (out.name == "..") out.name.clear();
  return out;
}

}  // namespace

Stamp stamp_of(const struct stat& facts) {
  return {facts.st_dev, facts.st_ino, facts.st_size,
          facts.st_mtim.tv_sec * kNsInSecond + facts.st_mtim.tv_nsec};
}

Error Roots::outside(const std::string& asked) const {
  std::string list;
  for (const std::string& folder : folders_) list += (list.empty() ? "" : ", ") + folder;
  return refused(Code::PermissionDenied,
                 asked + " is outside of the folders that may be used: " + list);
}

Error Roots::failure(int number, const std::string& asked) const {
  switch (number) {
    case EXDEV: return outside(asked + " (a link or .. leads out; links with absolute targets do)");
    case ELOOP:
      return refused(Code::PermissionDenied, asked +
                                                 " leads through a link that may not "
                                                 "be followed");
    case ENOENT: return not_found(asked + " does not exist");
    case ENOTDIR: return not_found(asked + " goes through something that is no folder");
    case EACCES:
    case EPERM: return refused(Code::PermissionDenied, "the daemon's user may not open " + asked);
    case EINVAL:
    case ENAMETOOLONG: return invalid_argument("'" + asked + "' cannot be the name of a file");
    default:
      return refused(Code::Unavailable,
                     asked + " cannot be opened: " + std::generic_category().message(number));
  }
}

Result<Roots::Place> Roots::place_of(const std::string& path) const {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return invalid_argument("a path of a file is needed");
  }
  const std::string clean = without_dots(path);
  const std::string* best = nullptr;
  if (!path.starts_with('/')) {
    best = &folders_.front();
  } else {
    for (const std::string& folder : folders_) {
      const bool longer = best == nullptr || folder.size() > best->size();
      if (tools::lies_within(clean, folder) && longer) best = &folder;
    }
  }
  if (best == nullptr) return outside(path);
  Place out;
  out.root_path = *best;
  out.rest = path.starts_with('/') ? clean.substr(std::min(clean.size(), best->size())) : clean;
  while (out.rest.starts_with('/')) out.rest.erase(0, 1);
  // The root's own path had no links; that it has none now is checked.
  const Descriptor top(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  out.root = open_beneath(top, best->substr(1), O_DIRECTORY, Links::Refuse, resolver_);
  if (!out.root) return failure(errno, *best);
  return out;
}

bool Roots::is_visible(std::string_view path) const {
  return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& root) {
    return tools::lies_within(path, root) &&
           std::none_of(hidden_.begin(), hidden_.end(), [&](const std::string& hidden) {
             return tools::lies_within(path, hidden) && !tools::lies_within(root, hidden);
           });
  });
}

Result<Found> Roots::open(const Place& place, const std::string& rest, int flags, Links links,
                          const std::string& asked) const {
  Found out;
  out.descriptor = open_beneath(place.root, rest, flags, links, resolver_);
  if (!out.descriptor) return failure(errno, asked);
  out.path = path_of(out.descriptor);
  if (out.path.empty() || ::fstat(out.descriptor.get(), &out.facts) != 0) {
    return not_found(asked + " does not exist any more");
  }
  if (!is_visible(out.path)) return outside(asked);
  return out;
}

Result<Found> Roots::find(const std::string& path) const {
  GANTRY_ASSIGN(const Place place, place_of(path));
  return open(place, place.rest, 0, Links::Follow, path);
}

Result<Found> Roots::find_file(const std::string& path) const {
  GANTRY_ASSIGN(Found found, find(path));
  GANTRY_TRY(must_be_file(found.facts, path));
  return found;
}

Result<Found> Roots::find_folder(const std::string& path) const {
  GANTRY_ASSIGN(Found found, find(path));
  if (!S_ISDIR(found.facts.st_mode)) return failed_precondition(path + " is no folder");
  return found;
}

Result<Descriptor> Roots::open_folder(const Place& place, const std::string& rest,
                                      bool make_folders, const std::string& asked) const {
  auto there = open(place, rest, O_DIRECTORY, Links::Follow, asked);
  if (there.ok()) return std::move(there->descriptor);
  if (!make_folders || there.error().code != Code::NotFound || rest.empty()) return there.error();
  const Split last = split(rest);
  if (last.name.empty()) return there.error();
  GANTRY_ASSIGN(const Descriptor above, open_folder(place, last.folder, true, asked));
  if (!is_visible(path_of(above) + "/" + last.name)) return outside(asked);
  if (::mkdirat(above.get(), last.name.c_str(), 0777) != 0 && errno != EEXIST) {
    return failure(errno, asked);
  }
  GANTRY_ASSIGN(Found made, open(place, rest, O_DIRECTORY, Links::Follow, asked));
  return std::move(made.descriptor);
}

Result<Spot> Roots::spot(const std::string& path, bool make_folders) const {
  std::string where = path;
  // Each turn follows the links that the last component is at that time.
  for (int i = 0; i < kMostMoves; ++i) {
    GANTRY_ASSIGN(const Place place, place_of(where));
    const Split parts = split(place.rest);
    if (parts.name.empty() || path.ends_with('/')) {
      return failed_precondition(path + " is a folder; the path of a file is needed");
    }
    Spot out;
    GANTRY_ASSIGN(out.folder, open_folder(place, parts.folder, make_folders, path));
    out.name = parts.name;
    const std::string folder_path = path_of(out.folder);
    if (folder_path.empty()) return not_found("the folder of " + path + " is gone");
    out.path = (folder_path == "/" ? "" : folder_path) + "/" + out.name;
    if (!is_visible(out.path)) return outside(path);
    struct stat facts {};
    if (::fstatat(out.folder.get(), out.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return out;
      return failure(errno, path);
    }
    if (!S_ISLNK(facts.st_mode)) {
      GANTRY_TRY(must_be_file(facts, path));
      out.facts = facts;
      return out;
    }
    GANTRY_ASSIGN(const Found target, find_file(where));
    where = target.path;
  }
  return refused(Code::Aborted, path + " keeps changing; try again");
}

}  // namespace gantry::files
