// SPDX-License-Identifier: Apache-2.0
// Repeating recordings: start, step, status, stop.
#include <gantry/path_roots.hpp>

#include <fmt/format.h>

#include <charconv>

#include "text.hpp"
#include "tools.hpp"
#include "trace_files.hpp"
#include "trace_reading.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kReplayCaller = "replay";

std::string_view mode_name(ReplayMode mode) {
  return mode == ReplayMode::Verify ? "verify" : "execute";
}

/// Reads a recording that lies in the folders; blocks.
Result<TraceText> read_recording(const std::string& path, const TracingSettings& settings) {
  std::vector<std::string> roots = settings.replay_roots;
  roots.push_back(settings.dir);
  const auto file = find_in_roots(path, roots);
  if (!file) {
    return not_found(
        fmt::format("there is no recording '{}' in the folders of recordings; "
                    "tracing.dir and tracing.replay_roots name them",
                    path));
  }
  // The path was resolved a moment ago; a link that stands in it now was put there since.
  return load_trace(*file, TraceFolder::Links::Nowhere);
}

/// The whole of the text, from 1.
std::optional<std::int64_t> sequence_of(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const bool whole = read.ec == std::errc() && read.ptr == end;
  return whole && number >= 1 ? std::optional(number) : std::nullopt;
}

Outcome<Replay> replay_of(const Arguments& arguments, TraceText text) {
  Replay out;
  const std::string mode = arguments.has("mode") ? arguments.text("mode") : "execute";
  out.mode = mode == "verify" ? ReplayMode::Verify : ReplayMode::Execute;
  const std::string on = arguments.has("on_divergence") ? arguments.text("on_divergence") : "warn";
  out.on_divergence = on == "stop"     ? OnDivergence::Stop
                      : on == "resume" ? OnDivergence::Resume
                                       : OnDivergence::Warn;
  const Outcome<Arguments> secrets = arguments.object("secrets");
  if (!secrets.ok()) return secrets.failure();
  for (const std::string& seq : secrets->names()) {
    const auto number = sequence_of(seq);
    if (!number) {
      return failure(Fault::BadRequest,
                     fmt::format("secrets are named by trace_seq, a number such as \"10\", "
                                 "found '{}'",
                                 shorten(seq, 60, 59)));
    }
    out.secrets[*number] = secrets->text(seq);
  }
  if (text.header) {
    out.label = text.header->label;
    out.trace_id = text.header->trace_id;
  }
  out.rows = std::move(text.rows);
  out.problems = std::move(text.problems);
  return out;
}

Failure withheld_recordings() {
  return failure(Fault::PermissionDenied,
                 "what there is to know of recordings is kept back: trace_read is not allowed");
}

/// What was typed there is not in the recording, and a real desktop must not get the mark that
/// stands in its place.
bool lacks_secret(const Engine& engine, const Replay& replay, const TraceRow& row) {
  if (engine.directory.is_mock() || replay.secrets.contains(row.seq)) return false;
  const Outcome<Arguments> arguments = Arguments::parse(row.args);
  if (!arguments.ok()) return true;
  for (const std::string_view name : kTypedArguments) {
    if (arguments->text(name) == kRedacted) return true;
  }
  return false;
}

/// Calls that cannot be repeated as they are: `secrets` of replay_start takes what they lack, by
/// these names.
std::vector<std::string> missing_secrets(const Engine& engine, const Replay& replay) {
  std::vector<std::string> out;
  for (const TraceRow& row : replay.rows) {
    if (lacks_secret(engine, replay, row)) out.push_back(fmt::format("{}", row.seq));
  }
  return out;
}

std::string secret_hint(std::string_view seq) {
  return fmt::format(
      "what was typed here is not in the recording; replay_start types it when its "
      "secrets say what: {{\"{}\": \"…\"}}",
      seq);
}

Task<ToolOutcome> replay_start(Engine& engine, const ToolCall& call) {
  const bool withheld = co_await recordings_are_withheld(engine, call.caller);
  if (withheld) co_return withheld_recordings();
  const std::string path = call.arguments.text("path");
  if (path.empty()) co_return failure(Fault::BadRequest, "path is required");
  Result<TraceText> text = TraceText{};
  const TracingSettings settings = engine.settings.tracing;
  std::function<void()> work = [&] { text = read_recording(path, settings); };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) text = done.error();
  if (!text.ok()) {
    co_return failure(Fault::BadRequest, "could not load trace: " + text.error().message,
                      {{"path", path}});
  }
  Outcome<Replay> replay = replay_of(call.arguments, std::move(*text));
  if (!replay.ok()) co_return replay.failure();
  const Outcome<WindowsNow> learned = co_await engine.directory.list();  // which adapter it is
  const std::vector<std::string> missing = missing_secrets(engine, *replay);
  const Outcome<std::shared_ptr<Replay>> opened = engine.replays.open(std::move(*replay));
  if (!opened.ok()) co_return opened.failure();
  JsonObject out;
  out.add("replay_id", (*opened)->id);
  out.add("total", (*opened)->rows.size());
  out.add("mode", mode_name((*opened)->mode));
  out.add("label", (*opened)->label);
  if (!missing.empty()) {
    JsonArray names;
    for (const std::string& name : missing) names.add(name);
    out.add("missing_secrets", names.done());
    out.add("hint", secret_hint(missing.front()));
  }
  if (!(*opened)->problems.empty()) {
    JsonArray problems;
    for (const std::string& problem : (*opened)->problems) problems.add(problem);
    out.add("problems", problems.done());
  }
  co_return out;
}

std::string divergence_json(const TraceRow& row, const std::vector<Difference>& differences) {
  JsonObject out;
  out.add_or_null("step_id", row.step_id);
  out.add("trace_seq", row.seq);
  out.add("tool", row.tool);
  out.add("differences", differences_json(differences));
  return out.text();
}

/// Repeats one row; its summary, and what differs.
struct Repeated {
  bool lacks_secret = false;
  std::string summary = "{}";
  std::vector<Difference> differences;
};

Task<Repeated> repeat(Engine& engine, Replay& replay, const TraceRow& row) {
  Repeated out;
  const Outcome<WindowsNow> learned = co_await engine.directory.list();  // which adapter it is
  if (lacks_secret(engine, replay, row)) {
    out.lacks_secret = true;
    out.differences.push_back({"args", R"("<redacted>")", "null"});
    co_return out;
  }
  if (row.args.find("\"__truncated\"") != std::string::npos) {
    out.differences.push_back({"args", R"("<truncated>")", "null"});
    co_return out;
  }
  ObserverToolRequest request;
  request.tool = row.tool;
  request.arguments = Json(replay.arguments_now(row));
  request.caller = kReplayCaller;
  auto body = make_body<ObserverToolRequest>(std::move(request));
  const ObserverToolResult result = co_await engine.dispatch(std::move(body));
  out.summary = summary_of(result.result.text, recorded_text(engine), result.ok);
  replay.learn(row.summary, out.summary);
  out.differences =
      compare_summaries(row.tool, row.summary, out.summary, replay.mode == ReplayMode::Verify);
  co_return out;
}

Task<ToolOutcome> replay_step(Engine& engine, const ToolCall& call) {
  const bool withheld = co_await recordings_are_withheld(engine, call.caller);
  if (withheld) co_return withheld_recordings();
  const Outcome<std::shared_ptr<Replay>> found =
      engine.replays.find(call.arguments.text("replay_id"));
  if (!found.ok()) co_return found.failure();
  const std::shared_ptr<Replay>& replay = *found;
  JsonObject out;
  out.add("replay_id", replay->id);
  out.add("total", replay->rows.size());
  if (replay->finished()) {
    out.add("finished", true);
    out.add("position", replay->position);
    co_return out;
  }
  if (replay->busy) {
    co_return failure(Fault::BadRequest, "a step of this replay is still running",
                      {{"replay_id", replay->id}});
  }
  replay->busy = true;
  const TraceRow& row = replay->rows[replay->position];
  Repeated repeated = co_await repeat(engine, *replay, row);
  replay->busy = false;
  ++replay->position;
  if (!repeated.differences.empty()) {
    replay->divergences.push_back(divergence_json(row, repeated.differences));
    replay->stopped_early = replay->on_divergence == OnDivergence::Stop;
    if (replay->on_divergence == OnDivergence::Resume) {
      repeated.summary = row.summary;
      out.add("resumed", true);
    }
  }
  out.add("tool", row.tool);
  out.add("trace_seq", row.seq);
  if (repeated.lacks_secret) out.add("hint", secret_hint(fmt::format("{}", row.seq)));
  out.add("position", replay->position);
  out.add("finished", replay->finished());
  out.add("divergence",
          repeated.differences.empty() ? RawJson{"null"} : differences_json(repeated.differences));
  out.add("actual_summary", RawJson{repeated.summary});
  co_return out;
}

Task<ToolOutcome> replay_status(Engine& engine, const ToolCall& call) {
  const bool withheld = co_await recordings_are_withheld(engine, call.caller);
  if (withheld) co_return withheld_recordings();
  const Outcome<std::shared_ptr<Replay>> found =
      engine.replays.find(call.arguments.text("replay_id"));
  if (!found.ok()) co_return found.failure();
  const Replay& replay = **found;
  JsonArray divergences;
  for (const std::string& divergence : replay.divergences) divergences.add_raw(divergence);
  JsonObject out;
  out.add("replay_id", replay.id);
  out.add("position", replay.position);
  out.add("total", replay.rows.size());
  out.add("finished", replay.finished());
  out.add("mode", mode_name(replay.mode));
  out.add("divergences", divergences.done());
  co_return out;
}

Task<ToolOutcome> replay_stop(Engine& engine, const ToolCall& call) {
  const std::string id = call.arguments.text("replay_id");
  const Outcome<std::shared_ptr<Replay>> found = engine.replays.find(id);
  if (!found.ok()) co_return found.failure();
  engine.replays.close(id);
  JsonObject out;
  out.add("stopped", true);
  co_return out;
}

constexpr Parameter kReplayStart[] = {
    {"path", ParameterType::String, "The recording's folder, or its trace.jsonl.", true},
    {"mode", ParameterType::String,
     "execute repeats the calls; verify also compares what each tool answers. execute when not "
     "given.",
     false, "execute|verify"},
    {"on_divergence", ParameterType::String,
     "stop ends the replay; warn goes on with what came; resume goes on with what was recorded. "
     "warn when not given.",
     false, "stop|warn|resume"},
    {"secrets", ParameterType::Object,
     "What to type where the recording has <redacted>, by trace_seq: {\"10\": \"…\"}."},
};
constexpr Parameter kReplay[] = {
    {"replay_id", ParameterType::String, "As replay_start gave it.", true},
};

constexpr Tool kReplayTools[] = {
    {"replay_start", replay_start, ToolKind::Manage, false, "Opens a recording to repeat it.",
     kReplayStart},
    {"replay_status", replay_status, ToolKind::About, true,
     "Says how far a replay has come and where it differed.", kReplay},
    {"replay_step", replay_step, ToolKind::Manage, true,
     "Repeats the next call of a recording and compares its answer.", kReplay},
    {"replay_stop", replay_stop, ToolKind::Manage, false, "Ends a replay.", kReplay},
};

}  // namespace

std::span<const Tool> replay_tools() { return kReplayTools; }

}  // namespace gantry::observation
