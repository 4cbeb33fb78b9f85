// SPDX-License-Identifier: Apache-2.0
//
// The observation engine's contracts: what every protocol shows of the desktop and does to it.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// A tool of the observer by its published name ("list_windows", "get_window_structure", …) with
/// its arguments as a JSON object. `caller` names the protocol and client for audit and traces.
/// `plain` asks for the answer without the envelope (ok, success, step ids, untrusted) and without
/// a step of its own, as the first version of the published routes has it.
struct ObserverToolRequest {
  std::string tool;
  Json arguments{"{}"};
  std::string caller;
  bool plain = false;
};
BOOST_DESCRIBE_STRUCT(ObserverToolRequest, (), (tool, arguments, caller, plain))

/// `result` is the published answer of the tool, a JSON object with ok, success, step_id, …;
/// on failure it carries the published error object and `error_code` names it. The text is compact,
/// with sorted keys and ASCII only, so that a protocol may send it as it is. `message` repeats the
/// error's words for protocols that have no error object.
struct ObserverToolResult {
  bool ok = true;
  std::string error_code;
  std::string message;
  Json result;
};
BOOST_DESCRIBE_STRUCT(ObserverToolResult, (), (ok, error_code, message, result))

/// Failures of a tool are answers, not errors of the call; the call itself fails only with
/// `cancelled` or `deadline_exceeded`.
struct ObserverTool {
  static constexpr std::string_view kName = "gantry.observe.tool/1";
  static constexpr std::string_view kDoc = "Runs one of the observer's tools.";
  using Request = ObserverToolRequest;
  using Response = ObserverToolResult;
};

/// What a tool takes and what it does, for people, models and generated documents. `kind` is about
/// (tells of the daemon itself), read, picture (reads pixels), act, or manage (changes the daemon's
/// own state). `input_schema` is a JSON Schema (2020-12) of the arguments, an object.
struct ObserverToolDescription {
  std::string name;
  std::string doc;
  std::string kind;
  bool untrusted = false;  // its answers carry text from the screen
  Json input_schema;
};
BOOST_DESCRIBE_STRUCT(ObserverToolDescription, (), (name, doc, kind, untrusted, input_schema))

struct ObserverToolNames {
  std::vector<std::string> tools;                  // sorted
  std::vector<std::string> input_tools;            // those that act on the desktop, sorted
  std::vector<ObserverToolDescription> described;  // all of `tools`, in the same order
};
BOOST_DESCRIBE_STRUCT(ObserverToolNames, (), (tools, input_tools, described))

struct ObserverTools {
  static constexpr std::string_view kName = "gantry.observe.tools/1";
  static constexpr std::string_view kDoc = "Lists the observer's tools with their schemas.";
  using Request = Nothing;
  using Response = ObserverToolNames;
};

/// A recording as a page to look at. For the command line and its user's own files: any folder that
/// the process may read, which is why no protocol for clients offers it.
struct TraceExportRequest {
  std::string folder;  // of the recording, absolute
};
BOOST_DESCRIBE_STRUCT(TraceExportRequest, (), (folder))

struct TracePage {
  std::string html;                   // one file: its pictures are inside, and it loads nothing
  std::int64_t calls = 0;             // recorded calls that it shows
  std::vector<std::string> problems;  // lines and pictures that are missing, and why
};
BOOST_DESCRIBE_STRUCT(TracePage, (), (html, calls, problems))

/// Errors: not_found, invalid_argument (no recording there, or too large).
struct TraceExport {
  static constexpr std::string_view kName = "gantry.observe.trace_export/1";
  static constexpr std::string_view kDoc = "Makes one HTML page of a recording.";
  using Request = TraceExportRequest;
  using Response = TracePage;
};

/// A recording in the observer's folder.
struct RecordingInfo {
  std::string trace_id;
  std::string label;
  std::string started_at;  // "2026-01-02T03:04:05.000006+00:00"; empty: its file cannot be read
  std::string stopped_at;  // empty: not ended, or cut off by the end of the program
  bool running = false;    // it is being written
  std::int64_t bytes = 0;  // of its lines, without pictures
  std::int64_t pages = 0;  // of its lines; those of a running one grow, and its oldest may go
  std::optional<std::int64_t> calls;        // recorded, of an ended one
  std::optional<std::int64_t> duration_ms;  // of an ended one
};
BOOST_DESCRIBE_STRUCT(RecordingInfo, (),
                      (trace_id, label, started_at, stopped_at, running, bytes, pages, calls,
                       duration_ms))

/// `begins`: what the ids of the wanted ones begin with. `most` of them, at most 1000.
struct RecordingListRequest {
  std::string begins;
  std::int64_t most = 100;
  std::string caller;  // protocol and client, for the guard
};
BOOST_DESCRIBE_STRUCT(RecordingListRequest, (), (begins, most, caller))

struct RecordingInfos {
  std::vector<RecordingInfo> traces;  // those written last first
  std::int64_t total = 0;             // folders that may be one
};
BOOST_DESCRIBE_STRUCT(RecordingInfos, (), (traces, total))

/// Errors: permission_denied (the guard, asked about `trace_read`).
struct RecordingList {
  static constexpr std::string_view kName = "gantry.observe.recordings/1";
  static constexpr std::string_view kDoc = "Lists the recordings in the observer's folder.";
  using Request = RecordingListRequest;
  using Response = RecordingInfos;
};

/// Info only; a page of Lines, one JSON object each; a Page (HTML, one file that loads nothing); or
/// a Picture (PNG).
enum class RecordingForm : std::uint8_t { Info, Lines, Page, Picture };
BOOST_DESCRIBE_ENUM(RecordingForm, Info, Lines, Page, Picture)

struct RecordingReadRequest {
  std::string trace_id;
  RecordingForm form = RecordingForm::Info;
  std::int64_t page = 1;              // of Lines, from 1
  std::string picture;                // "step-00001-full.png", as lines name it
  std::int64_t most_bytes = 8 << 20;  // of a Page or a Picture
  std::string caller;                 // protocol and client, for the guard
};
BOOST_DESCRIBE_STRUCT(RecordingReadRequest, (), (trace_id, form, page, picture, most_bytes, caller))

/// As it was written, without what was secret then. Lines carry text from the screen.
struct RecordingContents {
  RecordingInfo info;
  std::string text;  // Lines or Page
  Buffer data;       // Picture
};
BOOST_DESCRIBE_STRUCT(RecordingContents, (), (info, text, data))

/// Errors: not_found, invalid_argument (no recording), permission_denied, resource_exhausted (more
/// than most_bytes), unavailable (its files change just now).
struct RecordingRead {
  static constexpr std::string_view kName = "gantry.observe.recording_read/1";
  static constexpr std::string_view kDoc = "Reads a recording in the observer's folder.";
  using Request = RecordingReadRequest;
  using Response = RecordingContents;
};

/// Whether something that the observer can use is there, and what is missing when it is not.
struct ObserverSense {
  bool available = false;
  std::string reason;
  std::string cure;
};
BOOST_DESCRIBE_STRUCT(ObserverSense, (), (available, reason, cure))

struct ObserverCacheStatus {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t entries = 0;
  std::uint64_t capture_count = 0;
  std::int64_t capture_ms_total = 0;
  std::int64_t capture_ms_max = 0;
};
BOOST_DESCRIBE_STRUCT(ObserverCacheStatus, (),
                      (hits, misses, entries, capture_count, capture_ms_total, capture_ms_max))

/// The engine's own state: for health checks and metrics, which must not wait for a desktop.
struct ObserverStatusReport {
  std::string adapter;   // "X11Adapter", "MockAdapter"; "none" while no window system has answered
  std::string platform;  // "Linux"
  std::string version;
  bool is_mock = false;
  bool probed = false;          // an adapter, or the lack of one, has answered since the start
  std::int64_t started_ns = 0;  // monotonic clock of the host
  std::int64_t step_count = 0;
  ObserverCacheStatus tree_cache;
  bool budgets = false;  // some budget is configured
  std::int64_t actions_used = 0;
  std::int64_t screenshots_used = 0;
  bool tracing = false;            // a recording runs
  std::string trace_id;            // which; empty: none
  std::int64_t trace_changes = 0;  // grows when a recording begins or ends
  ObserverSense ocr;
  ObserverSense vlm;
};
BOOST_DESCRIBE_STRUCT(ObserverStatusReport, (),
                      (adapter, platform, version, is_mock, probed, started_ns, step_count,
                       tree_cache, budgets, actions_used, screenshots_used, tracing, trace_id,
                       trace_changes, ocr, vlm))

struct ObserverStatus {
  static constexpr std::string_view kName = "gantry.observe.status/1";
  static constexpr std::string_view kDoc = "The observer's own state, without asking the desktop.";
  using Request = Nothing;
  using Response = ObserverStatusReport;
};

/// Published after every tool that ran, so that protocol plugins can answer health checks from
/// memory. Only the newest matters: subscribe with drop_oldest and room for one.
struct ObserverStatusChanged {
  static constexpr std::string_view kName = "gantry.observe.status_changed/1";
  static constexpr std::string_view kDoc = "The observer's state after a tool has run.";
  using Event = ObserverStatusReport;
};

}  // namespace gantry
