// SPDX-License-Identifier: Apache-2.0
#include "tracer.hpp"

#include <gantry/picture/png.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "argument_check.hpp"
#include "engine.hpp"
#include "oracles.hpp"
#include "text.hpp"
#include "time_units.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kToolVersion = "0.2.0";  // of the record's shape, as published
constexpr std::size_t kMaxLabel = 200;              // code points

/// Tools that watch over the recording itself.
constexpr std::array<std::string_view, 7> kNeverRecorded{
    "trace_start", "trace_stop",    "trace_status", "replay_start",
    "replay_step", "replay_status", "replay_stop"};

std::string new_trace_id() {
  // random_token() has 16 digits; the published ids have eight.
  return random_token("trace-").substr(0, std::string_view("trace-").size() + 8);
}

struct StepPictures {
  Answer<Capture> full = unavailable("not asked for");
  Answer<Capture> window = unavailable("not asked for");
};

/// A recording shows no more than its caller could take: the same rules, the same budget.
Task<bool> may_take(Engine& engine, const std::string& caller, std::string_view picture_tool) {
  const Tool* const tool = find_tool(picture_tool);
  const Outcome<Arguments> none = Arguments::parse("{}");
  if (tool == nullptr || !none.ok()) co_return false;
  const Life life;
  const ToolCall call{*none, *tool, caller, {}, false, life};
  const Outcome<bool> allowed = co_await engine.gate.admit(call);
  co_return allowed.ok();
}

Task<StepPictures> take_pictures(Engine& engine, const std::optional<WindowInfo>& window,
                                 const std::string& caller) {
  StepPictures out;
  const bool whole = co_await may_take(engine, caller, "get_full_screenshot");
  if (whole) {
    CaptureRequest screen;
    out.full = co_await engine.desktop.capture(std::move(screen));
  }
  const bool part = window && co_await may_take(engine, caller, "get_screenshot");
  if (part) {
    CaptureRequest request;
    request.target = CaptureTarget::Window;
    request.handle = window->handle;
    out.window = co_await engine.desktop.capture(std::move(request));
  }
  co_return out;
}

/// Writes a picture; its name, or nothing when it could not be taken. Blocks.
std::string save_picture(const TraceFiles& files, const Answer<Capture>& capture, std::int64_t seq,
                         std::string_view kind, std::string& error) {
  if (!capture.ok() || (*capture)->image.width <= 0) return {};
  const Result<std::vector<std::uint8_t>> png = picture::encode_png((*capture)->image);
  if (!png.ok()) {
    error = png.error().message;
    return {};
  }
  std::string name = fmt::format("screenshots/step-{:05}-{}.png", seq, kind);
  const Result<void> saved = files.save(name, *png);
  if (saved.ok()) return name;
  error = saved.error().message;
  return {};
}

std::string scenario_json(const OracleReport& report) {
  if (!report.there) return {};
  JsonObject out;
  out.add("scenario", report.scenario);
  out.add("state", report.state);
  out.add("outcome", report.outcome());
  return out.text();
}

}  // namespace

CleanText recorded_text(Engine& engine) {
  return [&engine](std::string_view text) { return engine.shield.recorded(text); };
}

bool Tracer::wants(const Tool& tool) const {
  return active() &&
         std::find(kNeverRecorded.begin(), kNeverRecorded.end(), tool.name) == kNeverRecorded.end();
}

TraceStatus Tracer::status(const Engine& engine) const {
  TraceStatus out;
  if (!active()) return out;
  out.trace_id = session_->id;
  out.folder = session_->files->folder();
  out.path = session_->files->path();
  out.started_wall_ns = session_->started_wall_ns;
  out.steps = session_->steps;
  out.dropped = session_->dropped;
  out.error = session_->error;
  out.duration_ms =
      (engine.desktop.monotonic_ns() - session_->started_ns) / kNanosecondsPerMillisecond;
  return out;
}

Task<Outcome<TraceStatus>> Tracer::start(Engine& engine, std::string label) {
  if (active()) {
    co_return failure(Fault::BadRequest, "trace already active", {{"trace_id", session_->id}});
  }
  // The folder is told to clients, which run elsewhere.
  TracingSettings settings = engine.settings.tracing;
  settings.dir = std::filesystem::absolute(settings.dir).lexically_normal();
  auto session = std::make_shared<Session>();
  session->id = new_trace_id();
  session->started_wall_ns = engine.desktop.wall_ns();
  session->started_ns = engine.desktop.monotonic_ns();
  TraceHeader header;
  header.trace_id = session->id;
  header.label = first_code_points(recorded_text(engine)(label), kMaxLabel);
  header.started_at = iso_time(session->started_wall_ns);
  header.tool_version = kToolVersion;
  session->files =
      std::make_unique<TraceFiles>(settings.dir + "/" + session->id, std::move(header),
                                   TraceFiles::Limits{settings.max_file_bytes, settings.max_files});
  session_ = session;  // taken before the disk is asked, so that two starts cannot both win
  Result<void> opened;
  bool full = false;
  std::function<void()> work = [&, dir = settings.dir, most = settings.max_traces] {
    opened = room_for_trace(dir, most);
    full = !opened.ok();
    if (!full) opened = session->files->open();
  };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) opened = done.error();
  if (!opened.ok()) {
    if (session_ == session) session_.reset();
    if (full) {
      co_return failure(Fault::BudgetExceeded, opened.error().message, {{"dir", settings.dir}});
    }
    co_return failure(Fault::Internal, "the recording cannot be written: " + opened.error().message,
                      {{"dir", settings.dir}});
  }
  ++changes_;
  co_return status(engine);
}

Task<Outcome<TraceStatus>> Tracer::stop(Engine& engine) {
  if (!active()) co_return failure(Fault::BadRequest, "no active trace");
  TraceStatus out = status(engine);
  const std::shared_ptr<Session> session = std::exchange(session_, nullptr);
  TraceFooter footer;
  footer.stopped_at = iso_time(engine.desktop.wall_ns());
  footer.step_count = out.steps;
  footer.duration_ms = out.duration_ms;
  Result<void> closed;
  std::function<void()> work = [&] { closed = session->files->close(footer_line(footer)); };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) closed = done.error();
  if (!closed.ok()) out.error = closed.error().message;
  ++changes_;
  co_return out;
}

Task<TraceMoment> Tracer::look(Engine& engine) {
  TraceMoment out;
  out.began_ns = engine.desktop.monotonic_ns();
  out.wall_ns = engine.desktop.wall_ns();
  const Outcome<WindowsNow> now = co_await engine.directory.list();
  if (!now.ok()) co_return out;
  for (const WindowInfo& window : now->windows) {
    if (window.focused) out.window = window;
  }
  if (!out.window) co_return out;
  // Inputs and change events have dropped what no longer holds.
  const Outcome<TreeCapture> tree = co_await engine.trees.get(*out.window, Freshness::Cached);
  if (tree.ok()) out.tree = tree->tree;
  co_return out;
}

Task<TraceMoment> Tracer::before(Engine& engine) {
  Task<TraceMoment> task = look(engine);
  TraceMoment out = co_await std::move(task);
  out.began_ns = engine.desktop.monotonic_ns();
  co_return out;
}

Task<bool> Tracer::record(Engine& engine, const Tool& tool, const ObserverToolRequest& request,
                          const TraceMoment& before, const ObserverToolResult& result,
                          const Settlement& settlement) {
  const std::shared_ptr<Session> session = session_;
  if (session == nullptr) co_return false;  // stopped meanwhile
  TraceRow row;
  row.seq = ++session->steps;
  row.ts = iso_time(before.wall_ns);
  row.caller = request.caller.empty() ? "unknown" : request.caller;
  row.tool = tool.name;
  row.duration_ms = (engine.desktop.monotonic_ns() - before.began_ns) / kNanosecondsPerMillisecond;
  row.hash_before = before.hash();
  const TraceMoment after = co_await look(engine);
  row.hash_after = after.hash();
  if (tool.input()) {
    const OracleReport oracles = co_await watch_scenario(engine, engine.steps.count());
    row.scenario = scenario_json(oracles);
  }
  const std::int64_t every = engine.settings.tracing.screenshot_every_n_actions;
  StepPictures pictures;
  const bool with_pictures = every > 0 && (row.seq == 1 || row.seq % every == 0);
  if (with_pictures) pictures = co_await take_pictures(engine, after.window, request.caller);

  const TracingSettings settings = engine.settings.tracing;
  std::vector<std::string> secret_keys = settings.redact_keys;
  if (carries_typed_text(tool) && settlement.secret.value_or(true)) {
    secret_keys.insert(secret_keys.end(), kTypedArguments.begin(), kTypedArguments.end());
  }
  // On the strand, because the rules are used here only.
  row.args = recorded_args(
      recordable_args(&tool, request.arguments.text, settlement.readable, settlement.found()),
      secret_keys, static_cast<std::size_t>(settings.max_args_bytes), recorded_text(engine));
  const bool names_target = tool.input();
  if (names_target) {
    row.summary = summary_of(result.result.text, recorded_text(engine), result.ok);
  }
  std::string error;
  std::function<void()> work = [&] {
    if (!names_target) row.summary = summary_of(result.result.text, {}, result.ok);
    const Outcome<Arguments> summary = Arguments::parse(row.summary);
    if (summary.ok()) row.step_id = summary->integer_or_nothing("step_id");
    if (with_pictures) {
      row.screenshot_full = save_picture(*session->files, pictures.full, row.seq, "full", error);
      row.screenshot_window =
          save_picture(*session->files, pictures.window, row.seq, "window", error);
    }
    const Result<void> written = session->files->append(row_line(row));
    if (!written.ok()) error = written.error().message;
  };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) error = done.error().message;
  if (error.empty()) co_return true;
  ++session->dropped;
  session->error = std::move(error);
  co_return false;
}

}  // namespace gantry::observation
