// SPDX-License-Identifier: Apache-2.0
#include "trace_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace gantry::observation {
namespace {

namespace fs = std::filesystem;

Error disk_error(std::string_view what, const std::string& file, int code) {
  return {code == ENOSPC || code == EDQUOT || code == EFBIG ? Code::ResourceExhausted
                                                            : Code::Unavailable,
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

std::string older_file(std::int64_t number) { return fmt::format("trace-{:05}.jsonl", number); }

constexpr const char* kCurrentFile = "trace.jsonl";

Result<TraceText> read_files(const TraceFolder& folder, const std::vector<std::string>& names,
                             std::size_t most_bytes) {
  TraceText out;
  std::size_t total = 0;
  for (const std::string& name : names) {
    const PlainFile file = folder.file(name);
    if (!file.ok()) return not_found("has no readable file " + name);
    // Before it is read: a file with holes takes no room on the disk, and all of it in memory.
    if (file.size() > static_cast<std::int64_t>(most_bytes - total)) {
      return invalid_argument(fmt::format("is larger than {} MiB", most_bytes >> 20U));
    }
    const std::string text = file.read(0, file.size());
    total += text.size();
    read_trace_lines(text, name, out);
  }
  if (!out.header && out.rows.empty()) {
    return invalid_argument(out.problems.empty() ? "has no lines"
                                                 : "has no lines: " + out.problems.front());
  }
  if (!out.rows.empty() && out.rows.front().seq > 1) {
    out.problems.push_back(fmt::format("the recording begins at call {}: older files were dropped",
                                       out.rows.front().seq));
  }
  return out;
}

}  // namespace

TraceFiles::TraceFiles(std::string folder, TraceHeader header, Limits limits)
    : folder_(std::move(folder)), header_(std::move(header)), limits_(limits) {}

Result<void> TraceFiles::open() {
  GANTRY_ASSIGN(opened_, TraceFolder::make(folder_));
  const std::lock_guard lock(mutex_);
  Result<void> begun = begin_file();
  if (!begun.ok()) opened_->remove_empty(folder_);
  return begun;
}

Result<void> TraceFiles::begin_file() {
  file_ = opened_->create(kCurrentFile, O_APPEND);
  if (!file_) return disk_error("cannot create", path(), errno);
  written_ = 0;
  Result<void> done = write(header_line(header_));
  if (!done.ok()) {
    file_.reset();
    opened_->remove(kCurrentFile);  // the next try begins it again, with its first line
  }
  return done;
}

Result<void> TraceFiles::write(std::string_view bytes) {
  Result<void> done = write_all(file_.get(), bytes.data(), bytes.size(), path());
  if (done.ok()) {
    written_ += static_cast<std::int64_t>(bytes.size());
  } else if (::ftruncate(file_.get(), written_) != 0) {
    // Half a line stays; reading the recording reports it.
    return done.error().with_context("the last line is torn");
  }
  return done;
}

Result<void> TraceFiles::rotate() {
  // It stays open until it has its new name: what cannot be renamed is tried again.
  if (!opened_->rename(kCurrentFile, older_file(header_.file))) {
    return disk_error("cannot rename", path(), errno);
  }
  file_.reset();
  ++header_.file;
  if (header_.file > limits_.files) opened_->remove(older_file(header_.file - limits_.files));
  return begin_file();
}

Result<void> TraceFiles::append(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!file_) GANTRY_TRY(begin_file());  // a rotation that failed is tried again
  struct ::stat facts {};
  if (::fstat(file_.get(), &facts) == 0 && facts.st_nlink == 0) {
    return unavailable("the recording was removed while it was written: " + path());
  }
  if (written_ > 0 && written_ + static_cast<std::int64_t>(line.size()) > limits_.file_bytes) {
    GANTRY_TRY(rotate());
  }
  return write(line);
}

Result<void> TraceFiles::save(const std::string& name, const std::vector<std::uint8_t>& png) const {
  const std::string path = folder_ + "/" + name;
  const UniqueFd file = opened_->create_picture(name);
  if (!file) return disk_error("cannot create", path, errno);
  Result<void> done =
      write_all(file.get(), reinterpret_cast<const char*>(png.data()), png.size(), path);
  if (!done.ok()) opened_->remove_picture(name);  // half a picture is none
  return done;
}

Result<void> TraceFiles::close(std::string_view footer) {
  GANTRY_TRY(append(footer));
  const std::lock_guard lock(mutex_);
  const int failed = ::fsync(file_.get()) != 0 ? errno : 0;
  file_.reset();
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

Result<TraceText> load_trace(const TraceFolder& folder, std::size_t most_bytes) {
  const std::vector<std::string> names = folder.files();
  if (names.empty()) return not_found("has no trace.jsonl");
  return read_files(folder, names, most_bytes);
}

Result<TraceText> load_trace(const NamedTrace& named, std::size_t most_bytes) {
  return named.file.empty() ? load_trace(named.folder, most_bytes)
                            : read_files(named.folder, {named.file}, most_bytes);
}

Result<NamedTrace> open_named_trace(const fs::path& path, TraceFolder::Links links) {
  Result<TraceFolder> folder = TraceFolder::open(path, links);
  if (folder.ok()) return NamedTrace{std::move(folder).value(), {}};
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  Result<TraceFolder> around = TraceFolder::open(parent, links);
  if (!around.ok()) return around.error();
  const std::string name = path.filename().string();
  return NamedTrace{std::move(around).value(), name == kCurrentFile ? std::string() : name};
}

Result<TraceText> load_trace(const fs::path& path, TraceFolder::Links links,
                             std::size_t most_bytes) {
  GANTRY_ASSIGN(const NamedTrace named, open_named_trace(path, links));
  Result<TraceText> out = load_trace(named, most_bytes);
  if (!out.ok()) return Error{out.error().code, path.string() + " " + out.error().message, {}};
  return out;
}

}  // namespace gantry::observation
