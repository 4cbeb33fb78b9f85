// SPDX-License-Identifier: Apache-2.0
#include "file_io.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>

namespace gantry::files {
namespace {

Error io_failure(const std::string& what, const std::string& path) {
  const int number = errno;
  Code code = Code::Unavailable;
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) code = Code::ResourceExhausted;
  if (number == EACCES || number == EPERM || number == EROFS) code = Code::PermissionDenied;
  return {code, path + " cannot be " + what + ": " + std::generic_category().message(number), {}};
}

/// The same file, for reading. It is known to be a regular one: opening it waits for nothing.
Result<Descriptor> open_for_reading(const Found& file) {
  const std::string link = "/proc/self/fd/" + std::to_string(file.descriptor.get());
  Descriptor out(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!out) return io_failure("read", file.path);
  return out;
}

Result<std::string> read_up_to(const Descriptor& from, const std::string& path, std::size_t most) {
  std::string out;
  std::array<char, 65536> chunk{};
  while (out.size() < most) {
    const ssize_t got = ::read(from.get(), chunk.data(), std::min(chunk.size(), most - out.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_failure("read", path);
    if (got == 0) break;
    out.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return out;
}

std::string random_name() {
  std::array<unsigned char, 8> bytes{};
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  std::string out = ".gantry-";
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out + ".tmp";
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::write(fd, bytes.data(), bytes.size());
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<Stamp> stamp_at(const Spot& spot, const std::string& name) {
  struct stat facts {};
  if (::fstatat(spot.folder.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return stamp_of(facts);
}

/// One change on its way: `aside` is first the new file, and after the step the old one.
class Step {
 public:
  explicit Step(Change change) : change_(std::move(change)) {}
  Step(Step&& other) noexcept
      : change_(std::move(other.change_)),
        aside_(std::exchange(other.aside_, {})),
        taken_(std::exchange(other.taken_, false)) {}
  Step& operator=(Step&&) = delete;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() {
    if (!aside_.empty()) ::unlinkat(folder(), aside_.c_str(), 0);
  }

  /// Writes the new file beside its place.
  Result<void> prepare() {
    if (!change_.bytes) return {};
    const std::string name = random_name();
    // One that replaces another is nobody else's to read until keep_marks() gives it the other's
    // mode.
    const mode_t mode = change_.spot.facts ? 0600 : 0666;
    const Descriptor fresh(::openat(folder(), name.c_str(),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fresh) return io_failure("written", path());
    aside_ = name;
    if (!write_all(fresh.get(), *change_.bytes)) return io_failure("written", path());
    if (change_.spot.facts) keep_marks(fresh.get(), *change_.spot.facts);
    if (::fsync(fresh.get()) != 0) return io_failure("written", path());
    return {};
  }

  /// Puts it there. The old one is looked at after it was moved aside: nobody can change it between
  /// the look and the step.
  Result<void> take() {
    const int result = !change_.bytes ? remove() : change_.spot.facts ? exchange() : create();
    if (result != 0 && (errno == EEXIST || errno == ENOENT)) return changed();
    if (result != 0) return io_failure("written", path());
    taken_ = true;
    if (change_.expected && stamp_at(change_.spot, aside_) != change_.expected) return changed();
    return {};
  }

  void undo() {
    if (!std::exchange(taken_, false)) return;
    if (!change_.bytes) {
      if (rename_flags(aside_, name(), RENAME_NOREPLACE) == 0) aside_.clear();
    } else if (change_.spot.facts) {
      if (rename_flags(aside_, name(), RENAME_EXCHANGE) == 0) return;
      if (::renameat(folder(), aside_.c_str(), folder(), name().c_str()) == 0) aside_.clear();
    } else {
      ::unlinkat(folder(), name().c_str(), 0);
    }
  }

  void sync_folder() const {
    const std::string link = "/proc/self/fd/" + std::to_string(folder());
    const Descriptor open(::open(link.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (open) (void)::fsync(open.get());
  }

 private:
  [[nodiscard]] int folder() const { return change_.spot.folder.get(); }
  [[nodiscard]] const std::string& name() const { return change_.spot.name; }
  [[nodiscard]] const std::string& path() const { return change_.spot.path; }

  /// Owner and permissions of the file that was there. Set-id bits were given to what was in it,
  /// and go with that, as when a file is written in place.
  static void keep_marks(int fd, const struct stat& old) {
    (void)!::fchown(fd, old.st_uid, old.st_gid);
    (void)::fchmod(fd, old.st_mode & 0777U);
  }

  [[nodiscard]] int rename_flags(const std::string& from, const std::string& to,
                                 unsigned flags) const {
    return ::renameat2(folder(), from.c_str(), folder(), to.c_str(), flags);
  }
  int exchange() {
    const int result = rename_flags(aside_, name(), RENAME_EXCHANGE);
    if (result == 0 || (errno != EINVAL && errno != ENOSYS)) return result;
    // A file system that cannot: the old file keeps a second name until all is done.
    const std::string old = random_name();
    if (::linkat(folder(), name().c_str(), folder(), old.c_str(), 0) != 0) return -1;
    const std::string fresh = std::exchange(aside_, old);
    return ::renameat(folder(), fresh.c_str(), folder(), name().c_str());
  }
  int create() {
    const int result = rename_flags(aside_, name(), RENAME_NOREPLACE);
    if (result == 0) aside_.clear();
    return result;
  }
  int remove() {
    const std::string aside = random_name();
    const int result = rename_flags(name(), aside, RENAME_NOREPLACE);
    if (result == 0) aside_ = aside;
    return result;
  }
  [[nodiscard]] Error changed() const {
    if (change_.must_be_new) return {Code::AlreadyExists, path() + " exists already", {}};
    return {Code::Aborted,
            path() + " was changed by somebody else meanwhile; read it again and try again",
            {}};
  }

  Change change_;
  std::string aside_;
  bool taken_ = false;
};

Result<void> make_steps(std::vector<Step>& steps) {
  for (Step& step : steps) GANTRY_TRY(step.prepare());
  for (Step& step : steps) GANTRY_TRY(step.take());
  return {};
}

}  // namespace

Result<Content> read_file(const Found& file, std::size_t most) {
  GANTRY_ASSIGN(const Descriptor from, open_for_reading(file));
  struct stat before {};
  if (::fstat(from.get(), &before) != 0) return io_failure("read", file.path);
  if (static_cast<std::uint64_t>(before.st_size) > most) {
    return Error{Code::OutOfRange,
                 file.path + " has " + std::to_string(before.st_size) + " bytes; at most " +
                     std::to_string(most) + " are taken (tools_files.limits.file)",
                 {}};
  }
  Content out;
  GANTRY_ASSIGN(out.bytes, read_up_to(from, file.path, most + 1));
  out.stamp = stamp_of(before);
  struct stat after {};
  if (::fstat(from.get(), &after) != 0 || stamp_of(after) != out.stamp ||
      out.bytes.size() != static_cast<std::size_t>(before.st_size)) {
    return Error{Code::Aborted, file.path + " changes while it is read; try again", {}};
  }
  return out;
}

Result<std::string> read_beginning(const Found& file, std::size_t most) {
  GANTRY_ASSIGN(const Descriptor from, open_for_reading(file));
  return read_up_to(from, file.path, most);
}

Result<void> make_changes(std::vector<Change> changes) {
  std::vector<Step> steps;
  steps.reserve(changes.size());
  for (Change& change : changes) steps.emplace_back(std::move(change));
  Result<void> done = make_steps(steps);
  if (!done.ok()) {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) step->undo();
    return done;
  }
  for (const Step& step : steps) step.sync_folder();
  return {};
}

}  // namespace gantry::files
