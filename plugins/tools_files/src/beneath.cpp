// SPDX-License-Identifier: Apache-2.0
#include "beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <vector>

namespace gantry::files {
namespace {

constexpr int kMostLinks = 40;  // as the kernel has it
constexpr int kMostRetries = 64;

Descriptor open_by_kernel(const Descriptor& folder, const std::string& path, int flags,
                          Links links) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(O_PATH | O_CLOEXEC | flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (links == Links::Refuse) how.resolve |= RESOLVE_NO_SYMLINKS;
  // EAGAIN: something was renamed on the way, and the kernel cannot be sure.
  for (int i = 0; i < kMostRetries; ++i) {
    const long fd = ::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how);
    if (fd >= 0) return Descriptor(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return {};
}

std::deque<std::string> components(std::string_view path) {
  std::deque<std::string> out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") out.emplace_back(part);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return out;
}

/// The folders from the first one down are kept open, so that ".." needs no trust in the kernel's.
class Walk {
 public:
  Walk(const Descriptor& folder, Links links) : links_(links) {
    open_.emplace_back(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0));
  }

  Descriptor go(const std::string& path, int flags) {
    if (path.starts_with('/')) return failure(EXDEV);
    left_ = components(path);
    while (!left_.empty()) {
      const std::string name = std::move(left_.front());
      left_.pop_front();
      if (!step(name, path.ends_with('/') || (flags & O_DIRECTORY) != 0)) return {};
    }
    return std::move(open_.back());
  }

 private:
  static Descriptor failure(int number) {
    errno = number;
    return {};
  }

  bool step(const std::string& name, bool folder_wanted) {
    if (name == "..") {
      if (open_.size() == 1) return fail(EXDEV);
      open_.pop_back();
      return true;
    }
    Descriptor next(::openat(open_.back().get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts {};
    if (!next || ::fstat(next.get(), &facts) != 0) return false;
    if (S_ISLNK(facts.st_mode)) return follow(next);
    const bool must_be_folder = folder_wanted || !left_.empty();
    if (must_be_folder && !S_ISDIR(facts.st_mode)) return fail(ENOTDIR);
    open_.push_back(std::move(next));
    return true;
  }

  bool follow(const Descriptor& link) {
    if (links_ == Links::Refuse || ++links_taken_ > kMostLinks) return fail(ELOOP);
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
    if (size < 0) return false;
    const std::string_view text(target.data(), static_cast<std::size_t>(size));
    if (text.starts_with('/')) return fail(EXDEV);
    const std::deque<std::string> more = components(text);
    left_.insert(left_.begin(), more.begin(), more.end());
    return true;
  }

  static bool fail(int number) {
    errno = number;
    return false;
  }

  Links links_;
  int links_taken_ = 0;
  std::vector<Descriptor> open_;
  std::deque<std::string> left_;
};

}  // namespace

Descriptor open_beneath(const Descriptor& folder, const std::string& path, int flags, Links links,
                        Resolver resolver) {
  if (path.find('\0') != std::string::npos) {
    errno = EINVAL;
    return {};
  }
  if (resolver == Resolver::Kernel) {
    Descriptor out = open_by_kernel(folder, path.empty() ? "." : path, flags, links);
    // EPERM: a filter of system calls that does not know this one.
    if (out || (errno != ENOSYS && errno != EPERM)) return out;
  }
  return Walk(folder, links).go(path, flags);
}

std::string path_of(const Descriptor& descriptor) {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor.get());
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  struct stat facts {};
  if (size <= 0 || ::fstat(descriptor.get(), &facts) != 0 || facts.st_nlink == 0) return {};
  return {target.data(), static_cast<std::size_t>(size)};
}

std::string without_dots(std::string_view path) {
  std::string out = path.starts_with('/') ? "/" : "";
  for (const std::string& part : components(path)) {
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out;
}

}  // namespace gantry::files
