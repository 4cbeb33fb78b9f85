// SPDX-License-Identifier: Apache-2.0
#include "blobs.hpp"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

namespace gantry::artifacts {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNsInSecond = 1'000'000'000;
constexpr std::string_view kTemporary = "new-";

/// A file descriptor that is closed in the end.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

Error failure(const fs::path& path, int number) {
  const std::string said =
      "the artifacts cannot use " + path.string() + ": " + std::strerror(number);
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) {
    return {Code::ResourceExhausted, said + "; make room on the disk", R"({"reason":"disk"})"};
  }
  return unavailable(said, "give the daemon the right to write there, or set artifacts.folder");
}

std::optional<std::int64_t> time_of(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info.st_mtim.tv_sec * kNsInSecond + info.st_mtim.tv_nsec;
}

bool set_time(const fs::path& path, std::int64_t at_ns) {
  const struct timespec at {
    at_ns / kNsInSecond, at_ns % kNsInSecond
  };
  const std::array<struct timespec, 2> times = {at, at};
  return ::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) == 0;
}

Result<void> write_all(int file, const fs::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file) != 0) return failure(path, errno);
  return {};
}

/// A new name is only sure to stay once its folder is on the disk.
Result<void> sync_folder(const fs::path& folder) {
  const File opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.open() || ::fsync(opened.get()) != 0) return failure(folder, errno);
  return {};
}

Result<void> write_file(const fs::path& path, std::string_view bytes) {
  static std::atomic<std::uint64_t> last{0};
  const fs::path temporary =
      path.parent_path() /
      (std::string(kTemporary) + std::to_string(::getpid()) + "-" + std::to_string(++last));
  Result<void> done;
  {
    const File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.open()) return failure(temporary, errno);
    done = write_all(file.get(), temporary, bytes);
  }
  if (done.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) done = failure(path, errno);
  if (!done.ok()) {
    ::unlink(temporary.c_str());
    return done;
  }
  return sync_folder(path.parent_path());
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code problem;
  if (fs::is_directory(folder, problem)) return {};
  if (folder.has_parent_path()) GANTRY_TRY(make_folder(folder.parent_path()));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failure(folder, errno);
  return sync_folder(folder.parent_path());
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

fs::path Blobs::path_of(const std::string& sha256) const {
  return folder_ / sha256.substr(0, 2) / sha256.substr(2);
}

Result<void> Blobs::put(const std::string& sha256, std::string_view bytes, std::int64_t now_ns) {
  const fs::path path = path_of(sha256);
  {
    const std::lock_guard lock(mutex_);
    struct stat info {};
    const bool whole =
        ::stat(path.c_str(), &info) == 0 && std::cmp_equal(info.st_size, bytes.size());
    if (whole && set_time(path, now_ns)) return {};
  }
  GANTRY_TRY(make_folder(path.parent_path()));
  GANTRY_TRY(write_file(path, bytes));
  if (!set_time(path, now_ns)) return failure(path, errno);
  return {};
}

Result<Buffer> Blobs::get(const std::string& sha256, std::int64_t size) const {
  const fs::path path = path_of(sha256);
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes;
  std::size_t have = 0;
  if (file.open()) bytes.resize(static_cast<std::size_t>(size));
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  if (file.open() && have == bytes.size() && sha256_hex(bytes) == sha256) {
    return Buffer::of(std::move(bytes));
  }
  return Error{Code::DataLoss,
               "the bytes of an artifact are gone or have changed (" + path.string() +
                   "); put the folder back as it was, or upload it again",
               {}};
}

std::vector<std::string> Blobs::unused_since(std::int64_t before_ns) {
  std::vector<std::string> hashes;
  std::error_code problem;
  for (const auto& folder : fs::directory_iterator(folder_, problem)) {
    std::error_code inner;
    for (const auto& file : fs::directory_iterator(folder.path(), inner)) {
      if (time_of(file.path()).value_or(before_ns) >= before_ns) continue;
      const std::string name = file.path().filename().string();
      if (name.starts_with(kTemporary)) {
        ::unlink(file.path().c_str());
      } else {
        hashes.push_back(folder.path().filename().string() + name);
      }
    }
  }
  return hashes;
}

void Blobs::remove(const std::string& sha256, std::int64_t before_ns) {
  const fs::path path = path_of(sha256);
  const std::lock_guard lock(mutex_);
  if (time_of(path).value_or(before_ns) < before_ns) ::unlink(path.c_str());
}

}  // namespace gantry::artifacts
