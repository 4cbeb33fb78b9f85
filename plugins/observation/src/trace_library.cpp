// SPDX-License-Identifier: Apache-2.0
#include "trace_library.hpp"

#include <gantry/utf8.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "trace_files.hpp"
#include "trace_folder.hpp"
#include "trace_html.hpp"
#include "trace_record.hpp"

namespace gantry::observation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIdStart = "trace-";
constexpr std::size_t kLongestId = 64;  // bytes behind "trace-"
constexpr std::int64_t kMostListed = 1000;
constexpr std::int64_t kLongestLine = 1 << 20;
constexpr std::int64_t kEnds = 8192;  // bytes in which a header or a footer is looked for
constexpr int kTries = 3;

struct FileFacts {
  std::string name;
  struct ::stat facts {};
  [[nodiscard]] std::int64_t pages() const {
    return facts.st_size / kTracePageBytes + (facts.st_size % kTracePageBytes != 0 ? 1 : 0);
  }
};

/// The files that there are just now, oldest first.
std::vector<FileFacts> facts_of(const TraceFolder& folder) {
  std::vector<FileFacts> out;
  for (std::string& name : folder.files()) {
    FileFacts one{std::move(name), {}};
    if (folder.facts(one.name, one.facts)) out.push_back(std::move(one));
  }
  return out;
}

std::optional<TraceFolder> open_trace(const fs::path& dir, const std::string& id) {
  if (!is_trace_id(id)) return std::nullopt;
  Result<TraceFolder> folder = TraceFolder::open(dir / id, TraceFolder::Links::NotLast);
  if (!folder.ok()) return std::nullopt;
  return std::move(folder).value();
}

/// The first line, and the last one if it is whole.
void read_ends(const PlainFile& file, TraceText& out) {
  const std::string head = file.read(0, kEnds);
  const std::size_t first = head.find('\n');
  if (first == std::string::npos) return;
  read_trace_lines(head.substr(0, first + 1), "", out);
  std::string tail = file.read(std::max<std::int64_t>(0, file.size() - kEnds), kEnds);
  if (!tail.ends_with('\n')) return;
  tail.pop_back();
  const std::size_t begin = tail.rfind('\n');
  if (begin != std::string::npos) read_trace_lines(tail.substr(begin + 1) + "\n", "", out);
}

/// Nothing when the folder has no recording.
std::optional<RecordingInfo> info_of(const TraceFolder& folder, const std::string& id,
                                     const std::string& running) {
  const std::vector<FileFacts> files = facts_of(folder);
  if (files.empty()) return std::nullopt;
  RecordingInfo out;
  out.trace_id = id;
  out.running = id == running;
  for (const FileFacts& file : files) {
    out.bytes += file.facts.st_size;
    out.pages += file.pages();
  }
  TraceText ends;
  if (const PlainFile last = folder.file(files.back().name); last.ok()) read_ends(last, ends);
  if (ends.header) {
    out.label = ends.header->label;
    out.started_at = ends.header->started_at;
  }
  if (ends.footer && !out.running) {
    out.stopped_at = ends.footer->stopped_at;
    out.calls = ends.footer->step_count;
    out.duration_ms = ends.footer->duration_ms;
  }
  return out;
}

struct Dated {
  std::int64_t changed_ns = 0;
  std::string id;
  /// The newest first.
  bool operator<(const Dated& other) const {
    return std::tie(other.changed_ns, other.id) < std::tie(changed_ns, id);
  }
};

/// When a recording was written last: its file, else its folder when a rotation has failed.
std::int64_t changed_ns(const fs::path& folder) {
  struct ::stat facts {};
  if (::lstat((folder / "trace.jsonl").c_str(), &facts) != 0 &&
      ::lstat(folder.c_str(), &facts) != 0) {
    return 0;
  }
  return facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

/// Only what JSON can say; lines that the observer wrote are ASCII.
std::string valid_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = codec::utf8_length(text);
    out += length == 0 ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

/// The whole lines that begin in a page's part of the file. A last line that is cut off, or that is
/// being written, is no line.
std::string lines_of_page(const PlainFile& file, std::int64_t page) {
  const std::int64_t from = page * kTracePageBytes;
  const std::int64_t base = std::max<std::int64_t>(0, from - 1);
  const std::string text = file.read(base, kTracePageBytes + 1 + kLongestLine);
  std::size_t begin = 0;
  if (from > 0) {
    const std::size_t before = text.find('\n');
    if (before == std::string::npos) return {};
    begin = before + 1;
  }
  const auto limit = static_cast<std::size_t>(from + kTracePageBytes - base);
  if (begin >= std::min(limit, text.size())) return {};  // one line goes through the whole page
  std::size_t end = text.find('\n', limit - 1);
  if (end == std::string::npos) end = text.rfind('\n');
  if (end == std::string::npos || end < begin) return {};
  return valid_text(std::string_view(text).substr(begin, end + 1 - begin));
}

Error no_such(std::string_view what, const std::string& id) {
  return not_found(fmt::format("the recording {} has no {}", id, what));
}

Result<std::string> read_page(const TraceFolder& folder, const RecordingReadRequest& request) {
  for (int i = 0; i < kTries; ++i) {
    std::int64_t page = 0;   // of the file, from 0; the request's is any number
    std::int64_t pages = 0;  // before the file
    const std::vector<FileFacts> files = facts_of(folder);
    const FileFacts* found = nullptr;
    for (const FileFacts& one : files) {
      if (request.page > pages && request.page <= pages + one.pages()) {
        found = &one;
        page = request.page - pages - 1;
      }
      pages += one.pages();
    }
    if (found == nullptr) {
      return no_such(fmt::format("page {}; it has {}", request.page, pages), request.trace_id);
    }
    const PlainFile file = folder.file(found->name);
    // Between the look and the opening the file may have become another one's.
    if (file.ok() && file.is(found->facts)) return lines_of_page(file, page);
  }
  return Error{Code::Unavailable,
               "the recording " + request.trace_id + " is being written; read it again",
               {}};
}

Error too_large(std::string_view what, std::int64_t bytes, std::int64_t most,
                std::string_view instead) {
  return {Code::ResourceExhausted,
          fmt::format("{} has {} bytes, more than the {} that fit{}", what, bytes, most, instead),
          {}};
}

Result<Buffer> read_picture(const TraceFolder& folder, const RecordingReadRequest& request) {
  const std::string reference = "screenshots/" + request.picture;
  const Error missing = no_such("picture " + request.picture, request.trace_id);
  if (!is_picture_reference(reference)) return missing;
  const PlainFile file = folder.picture(reference);
  if (!file.ok()) return missing;
  if (file.size() > request.most_bytes) {
    return too_large("the picture", file.size(), request.most_bytes, "");
  }
  std::string bytes = file.read(0, file.size());
  if (!is_png(bytes)) return missing;
  return Buffer::of(std::move(bytes));
}

Result<std::string> read_html(const TraceFolder& folder, const RecordingInfo& info,
                              const RecordingReadRequest& request, bool pictures) {
  constexpr std::string_view kInstead = "; read its lines page by page";
  // Half of the room is for pictures, and markup makes lines longer.
  const std::int64_t lines = request.most_bytes / 4;
  if (info.bytes > lines) return too_large("the recording", info.bytes, lines, kInstead);
  PageLimits limits;
  limits.lines = static_cast<std::size_t>(lines);
  limits.pictures = pictures ? static_cast<std::size_t>(request.most_bytes / 8 * 3) : 0;
  const Result<TracePage> page = export_trace(folder, limits);
  // It is a recording that has just been looked at: what it lacks is the page.
  if (!page.ok()) {
    return not_found(fmt::format("the recording {} has no page.html, because it {}",
                                 request.trace_id, page.error().message));
  }
  const auto size = static_cast<std::int64_t>(page->html.size());
  if (size > request.most_bytes) return too_large("the page", size, request.most_bytes, kInstead);
  return valid_text(page->html);
}

}  // namespace

bool is_trace_id(std::string_view id) {
  if (!id.starts_with(kIdStart)) return false;
  const std::string_view rest = id.substr(kIdStart.size());
  return !rest.empty() && rest.size() <= kLongestId &&
         std::all_of(rest.begin(), rest.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

RecordingInfos list_traces(const fs::path& dir, const RecordingListRequest& request,
                           const std::string& running) {
  std::vector<Dated> there;
  std::error_code error;
  for (fs::directory_iterator entry(dir, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string id = entry->path().filename().string();
    std::error_code ignored;
    if (!is_trace_id(id) || !id.starts_with(request.begins)) continue;
    if (!fs::is_directory(entry->symlink_status(ignored))) continue;
    there.push_back(
        {id == running ? std::numeric_limits<std::int64_t>::max() : changed_ns(entry->path()),
         std::move(id)});
  }
  const auto most =
      static_cast<std::size_t>(std::clamp<std::int64_t>(request.most, 0, kMostListed));
  const std::size_t shown = std::min(most, there.size());
  std::partial_sort(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(shown), there.end());
  RecordingInfos out;
  out.total = static_cast<std::int64_t>(there.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::optional<TraceFolder> folder = open_trace(dir, there[i].id);
    auto info = folder ? info_of(*folder, there[i].id, running) : std::nullopt;
    if (info) out.traces.push_back(std::move(*info));
  }
  return out;
}

Result<RecordingContents> read_trace(const fs::path& dir, const RecordingReadRequest& request,
                                     const std::string& running, bool pictures) {
  const std::optional<TraceFolder> folder = open_trace(dir, request.trace_id);
  const auto info = folder ? info_of(*folder, request.trace_id, running) : std::nullopt;
  // What cannot be an id is not repeated: it may be of any length.
  if (!info) {
    return not_found(is_trace_id(request.trace_id) ? "there is no recording " + request.trace_id
                                                   : "there is no recording of that name");
  }
  RecordingContents out;
  out.info = *info;
  switch (request.form) {
    case RecordingForm::Info: break;
    case RecordingForm::Lines: {
      GANTRY_ASSIGN(out.text, read_page(*folder, request));
      break;
    }
    case RecordingForm::Page: {
      GANTRY_ASSIGN(out.text, read_html(*folder, *info, request, pictures));
      break;
    }
    case RecordingForm::Picture: {
      GANTRY_ASSIGN(out.data, read_picture(*folder, request));
      break;
    }
  }
  return out;
}

}  // namespace gantry::observation
