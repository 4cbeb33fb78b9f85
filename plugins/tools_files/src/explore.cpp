// SPDX-License-Identifier: Apache-2.0
#include "explore.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace gantry::files {
namespace {

class Explorer {
 public:
  Explorer(const Roots& roots, const Bounds& bounds, const std::function<Next(const Entry&)>& visit)
      : roots_(roots), bounds_(bounds), visit_(visit) {}

  /// False: it is over.
  bool folder(const Descriptor& folder, const std::string& path, const std::string& relative,
              int depth) {
    for (std::string& name : names_in(folder)) {
      if (bounds_.stop && bounds_.stop()) return over("the time was over");
      if (++seen_ > bounds_.entries) {
        return over("there are more than " + std::to_string(bounds_.entries) + " entries");
      }
      Entry entry{folder, std::move(name), {}, {}, {}, depth};
      entry.relative = relative.empty() ? entry.name : relative + "/" + entry.name;
      entry.path = path + "/" + entry.name;
      if (!roots_.is_visible(entry.path) ||
          ::fstatat(folder.get(), entry.name.c_str(), &entry.facts, AT_SYMLINK_NOFOLLOW) != 0) {
        continue;
      }
      const Next next = visit_(entry);
      if (next == Next::Stop) return false;
      if (next == Next::Into && S_ISDIR(entry.facts.st_mode) && !into(entry)) return false;
    }
    return true;
  }

  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  bool into(const Entry& entry) {
    if (entry.depth + 1 >= bounds_.depth) {
      reason_ = "some folders are deeper than " + std::to_string(bounds_.depth);
      return true;
    }
    const Descriptor next(::openat(entry.folder.get(), entry.name.c_str(),
                                   O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return !next || folder(next, entry.path, entry.relative, entry.depth + 1);
  }

  bool over(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  static std::vector<std::string> names_in(const Descriptor& folder) {
    std::vector<std::string> out;
    const int fd = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return out;
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::fdopendir(fd), &::closedir);
    if (!open) {
      ::close(fd);
      return out;
    }
    while (const dirent* one = ::readdir(open.get())) {
      const std::string_view name = one->d_name;
      if (name != "." && name != "..") out.emplace_back(name);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  const Roots& roots_;
  const Bounds& bounds_;
  const std::function<Next(const Entry&)>& visit_;
  std::size_t seen_ = 0;
  std::string reason_;
};

}  // namespace

std::string explore(const Roots& roots, const Found& top, const Bounds& bounds,
                    const std::function<Next(const Entry&)>& visit) {
  Explorer explorer(roots, bounds, visit);
  (void)explorer.folder(top.descriptor, top.path == "/" ? "" : top.path, "", 0);
  return explorer.reason();
}

}  // namespace gantry::files
