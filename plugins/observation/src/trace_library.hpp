// SPDX-License-Identifier: Apache-2.0
#pragma once
// The recordings that lie in the observer's folder, for clients to look at. A recording is named by
// its id and by nothing else: no path comes from outside, links are not followed, and what is read
// is bounded. Recordings are given out as they were written, without what was secret then. Blocks
// on the disk; safe on any thread.

#include <gantry/contracts/observe.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gantry::observation {

/// Bytes of a file that one page covers: the lines that begin there, whole.
inline constexpr std::int64_t kTracePageBytes = 64 << 10;

/// Whether this can be the name of a recording's folder: "trace-" and letters or digits.
[[nodiscard]] bool is_trace_id(std::string_view id);

/// The newest first. A folder that is not there has none. `running`: the id of the recording that
/// is being written, empty when none is.
[[nodiscard]] RecordingInfos list_traces(const std::filesystem::path& dir,
                                         const RecordingListRequest& request,
                                         const std::string& running);

/// Errors: not_found, invalid_argument (no recording), resource_exhausted (more than most_bytes),
/// unavailable (its files change just now). `pictures`: whether a page may have some; a picture by
/// itself is the caller's to refuse.
[[nodiscard]] Result<RecordingContents> read_trace(const std::filesystem::path& dir,
                                                   const RecordingReadRequest& request,
                                                   const std::string& running, bool pictures);

}  // namespace gantry::observation
