// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording on disk: <dir>/<trace_id>/trace.jsonl and screenshots/. A line is one write, so a
// crash tears the last line at most. When the file has reached its size it becomes
// trace-<n>.jsonl, and the next one begins. Blocks on the disk; safe on any thread.

#include <gantry/media.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace_folder.hpp"
#include "trace_record.hpp"

namespace gantry::observation {

class TraceFiles {
 public:
  struct Limits {
    std::int64_t file_bytes = 16 << 20;
    std::int64_t files = 16;  ///< The oldest go first.
  };
  TraceFiles(std::string folder, TraceHeader header, Limits limits);
  TraceFiles(const TraceFiles&) = delete;
  TraceFiles& operator=(const TraceFiles&) = delete;

  /// Makes the folder (for its owner only) and writes the header.
  Result<void> open();
  Result<void> append(std::string_view line);
  /// Writes `png` under the recording's folder.
  Result<void> save(const std::string& name, const std::vector<std::uint8_t>& png) const;
  /// Writes the footer and makes sure that it is on the disk.
  Result<void> close(std::string_view footer);

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string path() const { return folder_ + "/trace.jsonl"; }

 private:
  Result<void> begin_file();
  Result<void> write(std::string_view bytes);
  Result<void> rotate();

  std::string folder_;
  TraceHeader header_;
  Limits limits_;
  std::optional<TraceFolder> opened_;  ///< From open() on.
  std::mutex mutex_;
  UniqueFd file_;
  std::int64_t written_ = 0;
};

/// Whether `dir` has fewer than `most` recordings. resource_exhausted when not. Blocks.
[[nodiscard]] Result<void> room_for_trace(const std::filesystem::path& dir, std::int64_t most);

inline constexpr std::size_t kMaxRecording = 512U << 20U;  // bytes

/// What a path names: the folder of a recording, or one file in a folder.
struct NamedTrace {
  TraceFolder folder;
  std::string file;  ///< Empty: all of the recording.
};
/// Opens it: `path` is a folder, its trace.jsonl, which stands for all files beside it, or another
/// file. not_found.
[[nodiscard]] Result<NamedTrace> open_named_trace(const std::filesystem::path& path,
                                                  TraceFolder::Links links);

/// Reads all files of a recording: `path` is its folder or its trace.jsonl. Errors: not_found,
/// invalid_argument (larger than `most_bytes`, or no recording at all).
[[nodiscard]] Result<TraceText> load_trace(const std::filesystem::path& path,
                                           TraceFolder::Links links = TraceFolder::Links::Follow,
                                           std::size_t most_bytes = kMaxRecording);
/// The same; the errors say of the recording what is wrong, without a path: "has no trace.jsonl".
[[nodiscard]] Result<TraceText> load_trace(const TraceFolder& folder, std::size_t most_bytes);
[[nodiscard]] Result<TraceText> load_trace(const NamedTrace& named, std::size_t most_bytes);

}  // namespace gantry::observation
