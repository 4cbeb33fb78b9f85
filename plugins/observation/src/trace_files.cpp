// SPDX-License-Identifier: Apache-2.0
#include "trace_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace gantry::observation {
namespace {

namespace fs = std::filesystem;

constexpr ::mode_t kOwnerOnly = 0600;

Error disk_error(std::string_view what, const std::string& file, int code) {
  return {code == ENOSPC || code == EDQUOT ? Code::ResourceExhausted : Code::Unavailable,
          fmt::format("{} {}: {}", what, file, std::generic_category().message(code)),
          {}};
}

Result<void> write_all(int fd, const char* data, std::size_t size, const std::string& file) {
  while (size > 0) {
    const ssize_t done = ::write(fd, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return disk_error("cannot write", file, done < 0 ? errno : EIO);
    data += done;
    size -= static_cast<std::size_t>(done);
  }
  return {};
}

std::string older_file(const std::string& folder, std::int64_t number) {
  return fmt::format("{}/trace-{:05}.jsonl", folder, number);
}

/// A link may lead out of the folders that recordings are read from, and reading a pipe never ends.
bool is_plain_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

}  // namespace

std::vector<fs::path> files_of_trace(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool named = name.starts_with("trace-") && name.ends_with(".jsonl");
    if (named && is_plain_file(entry.path())) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  if (is_plain_file(folder / "trace.jsonl")) out.push_back(folder / "trace.jsonl");
  return out;
}

TraceFiles::TraceFiles(std::string folder, TraceHeader header, Limits limits)
    : folder_(std::move(folder)), header_(std::move(header)), limits_(limits) {}

TraceFiles::~TraceFiles() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> TraceFiles::open() {
  std::error_code error;
  fs::create_directories(fs::path(folder_) / "screenshots", error);
  if (error) return disk_error("cannot make the folder", folder_, error.value());
  fs::permissions(folder_, fs::perms::owner_all, error);
  const std::lock_guard lock(mutex_);
  return begin_file();
}

Result<void> TraceFiles::begin_file() {
  fd_ = ::open(path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kOwnerOnly);
  if (fd_ < 0) return disk_error("cannot create", path(), errno);
  written_ = 0;
  return write(header_line(header_));
}

Result<void> TraceFiles::write(std::string_view bytes) {
  Result<void> done = write_all(fd_, bytes.data(), bytes.size(), path());
  if (done.ok()) {
    written_ += static_cast<std::int64_t>(bytes.size());
  } else if (::ftruncate(fd_, written_) != 0) {
    // Half a line stays; reading the recording reports it.
    return done.error().with_context("the last line is torn");
  }
  return done;
}

Result<void> TraceFiles::rotate() {
  ::close(fd_);
  fd_ = -1;
  if (std::rename(path().c_str(), older_file(folder_, header_.file).c_str()) != 0) {
    return disk_error("cannot rename", path(), errno);
  }
  ++header_.file;
  std::error_code ignored;
  if (header_.file > limits_.files) {
    fs::remove(older_file(folder_, header_.file - limits_.files), ignored);
  }
  return begin_file();
}

Result<void> TraceFiles::append(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (fd_ < 0) GANTRY_TRY(begin_file());  // a rotation that failed is tried again
  if (written_ > 0 && written_ + static_cast<std::int64_t>(line.size()) > limits_.file_bytes) {
    GANTRY_TRY(rotate());
  }
  return write(line);
}

Result<void> TraceFiles::save(const std::string& name, const std::vector<std::uint8_t>& png) const {
  const std::string file = folder_ + "/" + name;
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return disk_error("cannot create", file, errno);
  Result<void> done = write_all(fd, reinterpret_cast<const char*>(png.data()), png.size(), file);
  ::close(fd);
  if (!done.ok()) ::unlink(file.c_str());  // half a picture is none
  return done;
}

Result<void> TraceFiles::close(std::string_view footer) {
  GANTRY_TRY(append(footer));
  const std::lock_guard lock(mutex_);
  const int failed = ::fsync(fd_) != 0 ? errno : 0;
  ::close(fd_);
  fd_ = -1;
  // Some file systems cannot sync; the lines are written all the same.
  if (failed != 0 && failed != EINVAL) return disk_error("cannot sync", path(), failed);
  return {};
}

Result<void> room_for_trace(const fs::path& dir, std::int64_t most) {
  std::int64_t there = 0;
  std::error_code error;
  // A folder that is not there, or that cannot be read, has none that anybody knows of.
  for (fs::directory_iterator entry(dir, error), end; entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with("trace-")) continue;
    std::error_code ignored;
    if (!fs::is_directory(entry->symlink_status(ignored)) || ++there < most) continue;
    return Error{Code::ResourceExhausted,
                 fmt::format("there are {} recordings in {}, as many as tracing.max_traces allows; "
                             "remove some, or allow more",
                             most, dir.string()),
                 {}};
  }
  return {};
}

Result<TraceText> load_trace(const fs::path& path, std::size_t most_bytes) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  const std::vector<fs::path> files =
      is_folder ? files_of_trace(path)
                : (path.filename() == "trace.jsonl" ? files_of_trace(path.parent_path())
                                                    : std::vector<fs::path>{path});
  if (files.empty()) return not_found("there is no trace.jsonl in " + path.string());
  if (!is_plain_file(files.front())) return not_found(path.string() + " is no file");
  TraceText out;
  std::size_t total = 0;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
    if (size < 0) return not_found("cannot read " + file.string());
    total += static_cast<std::size_t>(size);
    if (total > most_bytes) {
      return invalid_argument(
          fmt::format("the recording is larger than {} MiB", most_bytes >> 20U));
    }
    std::string text(static_cast<std::size_t>(size), '\0');
    stream.seekg(0);
    stream.read(text.data(), size);
    text.resize(static_cast<std::size_t>(stream.gcount()));
    read_trace_lines(text, file.filename().string(), out);
  }
  if (!out.header && out.rows.empty()) {
    return invalid_argument(path.string() + " is no recording: " +
                            (out.problems.empty() ? "it is empty" : out.problems.front()));
  }
  if (!out.rows.empty() && out.rows.front().seq > 1) {
    out.problems.push_back(fmt::format("the recording begins at call {}: older files were dropped",
                                       out.rows.front().seq));
  }
  return out;
}

}  // namespace gantry::observation
