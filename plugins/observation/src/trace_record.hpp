// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lines of a recording: one JSON object each, written by a trace and read by a replay (observer
// contract 2.14). Pure; safe on any thread.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"

namespace gantry::observation {

inline constexpr std::string_view kRedacted = "<redacted>";

struct TraceHeader {
  std::string trace_id;
  std::string label;
  std::string started_at;  ///< "2026-01-02T03:04:05.000006+00:00"
  std::string tool_version;
  std::int64_t file = 1;  ///< 2 and more: a later file of the same recording.
};

struct TraceRow {
  std::optional<std::int64_t> step_id;  ///< Calls without a step have none.
  std::int64_t seq = 0;                 ///< Position in the recording, from 1.
  std::string ts;
  std::string caller;
  std::string tool;
  std::string args = "{}";     ///< JSON
  std::string summary = "{}";  ///< JSON: what replays compare.
  std::string hash_before;     ///< Of the focused window; empty: there was none.
  std::string hash_after;
  std::int64_t duration_ms = 0;
  std::string screenshot_full;  ///< Relative to the recording's folder; empty: none was taken.
  std::string screenshot_window;
  std::string scenario;  ///< JSON: state and outcome of the scenario after an input; may be empty.
};

struct TraceFooter {
  std::string stopped_at;
  std::int64_t step_count = 0;
  std::int64_t duration_ms = 0;
};

[[nodiscard]] std::string header_line(const TraceHeader& header);
[[nodiscard]] std::string row_line(const TraceRow& row);
[[nodiscard]] std::string footer_line(const TraceFooter& footer);

/// Wall-clock time as the records have it: ISO 8601 in UTC with microseconds.
[[nodiscard]] std::string iso_time(std::int64_t wall_ns);

/// A text without what must not be written down.
using CleanText = std::function<std::string(std::string_view)>;

/// Arguments that carry what is typed or chosen.
inline constexpr std::array<std::string_view, 4> kTypedArguments{"text", "value", "keys",
                                                                 "option_name"};

/// What of an answer is kept: enough to compare, nothing that was on the screen but the target,
/// whose selector is cleaned. `answer` is the tool's JSON; what is none becomes {}.
/// `ok`: whether it went well, for answers of routes that do not say so themselves.
[[nodiscard]] std::string summary_of(std::string_view answer, const CleanText& clean = {},
                                     std::optional<bool> ok = std::nullopt);

/// Arguments as they are recorded: names with a leading _ are dropped, values of `redact_keys` (in
/// any depth, in any case) are "<redacted>", and other texts are cleaned. Longer ones than
/// `max_bytes` become {"__truncated": true, "preview": "…"}.
[[nodiscard]] std::string recorded_args(std::string_view args,
                                        const std::vector<std::string>& redact_keys,
                                        std::size_t max_bytes, const CleanText& clean = {});
/// All of them, only cleaned. What is no JSON object becomes {}.
[[nodiscard]] std::string cleaned_args(std::string_view args, const CleanText& clean);

/// What was read of a recording.
struct TraceText {
  std::optional<TraceHeader> header;
  std::optional<TraceFooter> footer;
  std::vector<TraceRow> rows;         ///< By seq.
  std::vector<std::string> problems;  ///< "trace.jsonl:12: …": lines that were left out, and why.
};

/// Reads the lines of one file into `out`. Lines that cannot be read are reported; the last line of
/// a recording that was cut off in the middle is one of them.
void read_trace_lines(std::string_view text, const std::string& file, TraceText& out);

}  // namespace gantry::observation
