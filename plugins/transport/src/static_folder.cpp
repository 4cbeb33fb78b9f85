// SPDX-License-Identifier: Apache-2.0
#include "static_folder.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "http_types.hpp"

namespace gantry::transport {
namespace {

// A pipe or a device must not hold up whoever opens it.
constexpr int kReadOnly = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int kFolderOnly = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

struct MediaType {
  std::string_view extension;
  std::string_view type;
};

constexpr std::array kMediaTypes = {
    MediaType{"avif", "image/avif"},
    MediaType{"bmp", "image/bmp"},
    MediaType{"css", "text/css; charset=utf-8"},
    MediaType{"csv", "text/csv; charset=utf-8"},
    MediaType{"gif", "image/gif"},
    MediaType{"gz", "application/gzip"},
    MediaType{"htm", "text/html; charset=utf-8"},
    MediaType{"html", "text/html; charset=utf-8"},
    MediaType{"ico", "image/vnd.microsoft.icon"},
    MediaType{"jpeg", "image/jpeg"},
    MediaType{"jpg", "image/jpeg"},
    MediaType{"js", "text/javascript; charset=utf-8"},
    MediaType{"json", "application/json"},
    MediaType{"jsonl", "application/x-ndjson"},
    MediaType{"map", "application/json"},
    MediaType{"md", "text/markdown; charset=utf-8"},
    MediaType{"mjs", "text/javascript; charset=utf-8"},
    MediaType{"mp3", "audio/mpeg"},
    MediaType{"mp4", "video/mp4"},
    MediaType{"ogg", "audio/ogg"},
    MediaType{"opus", "audio/ogg"},
    MediaType{"pdf", "application/pdf"},
    MediaType{"png", "image/png"},
    MediaType{"svg", "image/svg+xml"},
    MediaType{"tar", "application/x-tar"},
    MediaType{"txt", "text/plain; charset=utf-8"},
    MediaType{"wasm", "application/wasm"},
    MediaType{"wav", "audio/wav"},
    MediaType{"webm", "video/webm"},
    MediaType{"webmanifest", "application/manifest+json"},
    MediaType{"webp", "image/webp"},
    MediaType{"woff", "font/woff"},
    MediaType{"woff2", "font/woff2"},
    MediaType{"xml", "application/xml"},
    MediaType{"yaml", "application/yaml"},
    MediaType{"zip", "application/zip"},
};

NoFile reason_of(int error) {
  switch (error) {
    case EACCES:
    case EPERM: return NoFile::kForbidden;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN: return NoFile::kBusy;
    default: return NoFile::kMissing;  // ENOENT, ENOTDIR, ELOOP, EXDEV (out of the folder), …
  }
}

int open_beneath(int folder, const std::string& name) {
  open_how how{};
  how.flags = static_cast<uint64_t>(kReadOnly);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how));
}

int open_by_steps(int folder, std::string_view name) {
  UniqueFd at(::openat(folder, ".", kFolderOnly));
  while (at) {
    const size_t slash = name.find('/');
    const std::string step(name.substr(0, slash));
    if (slash == std::string_view::npos) {
      return ::openat(at.get(), step.c_str(), kReadOnly | O_NOFOLLOW);
    }
    at = UniqueFd(::openat(at.get(), step.c_str(), kFolderOnly | O_NOFOLLOW));
    name.remove_prefix(slash + 1);
  }
  return -1;
}

std::string etag_of(const struct stat& status) {
  const auto modified =
      static_cast<int64_t>(status.st_mtim.tv_sec) * kNanosecondsPerSecond + status.st_mtim.tv_nsec;
  char text[80];
  (void)std::snprintf(
      text, sizeof text, "\"%llx-%llx-%llx\"", static_cast<unsigned long long>(status.st_ino),
      static_cast<unsigned long long>(modified), static_cast<unsigned long long>(status.st_size));
  return text;
}

std::variant<StaticFile, NoFile> describe(UniqueFd fd, std::string_view name) {
  if (!fd) return reason_of(errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return reason_of(errno);
  if (S_ISDIR(status.st_mode)) return NoFile::kFolder;
  if (!S_ISREG(status.st_mode)) return NoFile::kMissing;
  StaticFile file;
  file.fd = std::move(fd);
  file.size = static_cast<uint64_t>(status.st_size);
  file.modified_s = status.st_mtim.tv_sec;
  file.etag = etag_of(status);
  file.content_type = media_type_of(name);
  return file;
}

}  // namespace

std::string_view media_type_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  const std::string extension =
      dot == std::string_view::npos ? std::string{} : lowered(name.substr(dot + 1));
  const auto found = std::lower_bound(
      kMediaTypes.begin(), kMediaTypes.end(), extension,
      [](const MediaType& type, const std::string& wanted) { return type.extension < wanted; });
  if (found != kMediaTypes.end() && found->extension == extension) return found->type;
  return "application/octet-stream";
}

std::string StaticFolder::name_of(std::string_view path) const {
  std::string name(path);
  if (path.empty() || path.back() == '/') {
    if (index_.empty()) return {};
    name += index_;
  }
  for (std::string_view rest = name;;) {
    const std::string_view step = rest.substr(0, rest.find('/'));
    if (step.empty() || step.front() == '.' || step.find('\0') != std::string_view::npos) return {};
    if (step.size() == rest.size()) return name;
    rest.remove_prefix(step.size() + 1);
  }
}

std::variant<StaticFile, NoFile> StaticFolder::open(std::string_view path) const {
  const std::string name = name_of(path);
  if (name.empty()) return NoFile::kMissing;
  const UniqueFd folder(::open(folder_.c_str(), kFolderOnly));
  if (!folder) return reason_of(errno);
  UniqueFd fd(open_beneath(folder.get(), name));
  if (!fd && errno == ENOSYS) return open_without_links(path);
  return describe(std::move(fd), name);
}

std::variant<StaticFile, NoFile> StaticFolder::open_without_links(std::string_view path) const {
  const std::string name = name_of(path);
  if (name.empty()) return NoFile::kMissing;
  const UniqueFd folder(::open(folder_.c_str(), kFolderOnly));
  if (!folder) return reason_of(errno);
  return describe(UniqueFd(open_by_steps(folder.get(), name)), name);
}

}  // namespace gantry::transport
