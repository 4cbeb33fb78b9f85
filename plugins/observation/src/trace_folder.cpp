// SPDX-License-Identifier: Apache-2.0
#include "trace_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace gantry::observation {
namespace {

namespace fs = std::filesystem;

constexpr ::mode_t kOwnerFile = 0600;
constexpr ::mode_t kOwnerFolder = 0700;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr const char* kPictures = "screenshots";
constexpr std::string_view kCurrent = "trace.jsonl";

struct CloseFolder {
  void operator()(::DIR* folder) const { ::closedir(folder); }
};

/// The name behind "screenshots/"; what lies elsewhere has none.
std::string picture_name(std::string_view reference) {
  const std::size_t slash = reference.find('/');
  const bool there = slash != std::string_view::npos && reference.substr(0, slash) == kPictures;
  std::string name(there ? reference.substr(slash + 1) : std::string_view());
  return name.find('/') == std::string::npos ? name : std::string();
}

/// Step by step from the root, each without following a link.
UniqueFd open_resolved(const fs::path& folder) {
  UniqueFd at(::open("/", kFolder));
  for (const fs::path& step : folder.relative_path()) {
    if (!at || step.empty()) continue;
    at = UniqueFd(::openat(at.get(), step.c_str(), kFolder | O_NOFOLLOW));
  }
  return at;
}

/// Folders that are missing above a recording's are made for their owner alone, too. 0, or errno.
int make_parents(const fs::path& parents) {
  fs::path made;
  for (const fs::path& step : parents) {
    made /= step;
    struct ::stat facts {};
    if (::stat(made.c_str(), &facts) == 0 || ::mkdir(made.c_str(), kOwnerFolder) == 0) continue;
    if (errno != EEXIST) return errno;  // another recording may have made it meanwhile
  }
  return 0;
}

Error folder_error(const fs::path& folder, int code) {
  return {
      code == ENOSPC || code == EDQUOT ? Code::ResourceExhausted : Code::Unavailable,
      "cannot make the folder " + folder.string() + ": " + std::generic_category().message(code),
      {}};
}

}  // namespace

PlainFile::PlainFile(int dir, const std::string& name)
    : file_(name.empty()
                ? -1
                : ::openat(dir, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
  if (file_ && (::fstat(file_.get(), &facts_) != 0 || !S_ISREG(facts_.st_mode))) {
    file_.reset();
  }
}

std::string PlainFile::read(std::int64_t offset, std::int64_t most) const {
  const std::int64_t left = std::clamp<std::int64_t>(size() - offset, 0, most);
  std::string out(static_cast<std::size_t>(left), '\0');
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(file_.get(), out.data() + done, out.size() - done,
                                static_cast<::off_t>(offset) + static_cast<::off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  out.resize(done);
  return out;
}

Result<TraceFolder> TraceFolder::open(const fs::path& folder, Links links) {
  const int last = links == Links::Follow ? 0 : O_NOFOLLOW;
  UniqueFd opened = links == Links::Nowhere && folder.is_absolute()
                        ? open_resolved(folder)
                        : UniqueFd(::open(folder.c_str(), kFolder | last));
  if (!opened) return not_found("there is no folder " + folder.string());
  return TraceFolder(std::move(opened));
}

Result<TraceFolder> TraceFolder::make(const fs::path& folder) {
  if (const int problem = make_parents(folder.parent_path())) return folder_error(folder, problem);
  if (::mkdir(folder.c_str(), kOwnerFolder) != 0 && errno != EEXIST) {
    return folder_error(folder, errno);
  }
  TraceFolder out(UniqueFd(::open(folder.c_str(), kFolder | O_NOFOLLOW)));
  if (!out.folder_) return folder_error(folder, errno);
  ::fchmod(out.folder_.get(), kOwnerFolder);  // some file systems have no modes
  if (::mkdirat(out.folder_.get(), kPictures, kOwnerFolder) != 0 && errno != EEXIST) {
    return folder_error(folder, errno);
  }
  return out;
}

std::vector<std::string> TraceFolder::files() const {
  // A descriptor of its own: two threads that read one would share its place.
  UniqueFd own(::openat(folder_.get(), ".", kFolder));
  const std::unique_ptr<::DIR, CloseFolder> listing(own ? ::fdopendir(own.get()) : nullptr);
  if (listing == nullptr) return {};
  (void)own.release();  // the listing closes it
  std::vector<std::string> out;
  while (const ::dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    struct ::stat now {};
    const bool named = name.starts_with("trace-") && name.ends_with(".jsonl");
    if (named && facts(name, now)) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  struct ::stat now {};
  if (facts(std::string(kCurrent), now)) out.emplace_back(kCurrent);
  return out;
}

bool TraceFolder::facts(const std::string& name, struct ::stat& out) const {
  return ::fstatat(folder_.get(), name.c_str(), &out, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(out.st_mode);
}

UniqueFd TraceFolder::pictures() const {
  return UniqueFd(::openat(folder_.get(), kPictures, kFolder | O_NOFOLLOW));
}

PlainFile TraceFolder::picture(std::string_view reference) const {
  const UniqueFd folder = pictures();
  return {folder.get(), folder ? picture_name(reference) : std::string()};
}

UniqueFd TraceFolder::create(const std::string& name, int flags) const {
  return UniqueFd(::openat(folder_.get(), name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | flags,
                           kOwnerFile));
}

UniqueFd TraceFolder::create_picture(std::string_view reference) const {
  const UniqueFd folder = pictures();
  if (!folder) return UniqueFd();
  return UniqueFd(::openat(folder.get(), picture_name(reference).c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnerFile));
}

void TraceFolder::remove(const std::string& name) const {
  ::unlinkat(folder_.get(), name.c_str(), 0);
}

void TraceFolder::remove_picture(std::string_view reference) const {
  if (const UniqueFd folder = pictures()) {
    ::unlinkat(folder.get(), picture_name(reference).c_str(), 0);
  }
}

void TraceFolder::remove_empty(const std::filesystem::path& folder) const {
  (void)::unlinkat(folder_.get(), kPictures, AT_REMOVEDIR);
  (void)::rmdir(folder.c_str());  // what is not empty stays, and a link that stands there now
}

bool TraceFolder::rename(const std::string& from, const std::string& to) const {
  return ::renameat(folder_.get(), from.c_str(), folder_.get(), to.c_str()) == 0;
}

}  // namespace gantry::observation
