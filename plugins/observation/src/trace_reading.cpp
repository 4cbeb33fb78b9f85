// SPDX-License-Identifier: Apache-2.0
#include "trace_reading.hpp"

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "engine.hpp"
#include "tools.hpp"
#include "trace_library.hpp"

namespace gantry::observation {
namespace {

/// Not a tool that anybody calls: what the guard is asked about.
constexpr Tool kTraceRead{"trace_read",
                          nullptr,
                          ToolKind::Read,
                          true,
                          "Reads recordings in the folder of recordings.",
                          {}};
constexpr std::array<std::string_view, 2> kPictureTools{"get_full_screenshot", "get_screenshot"};

Task<Result<void>> may(Engine& engine, const std::string& caller, const Tool& tool) {
  const Outcome<Arguments> none = Arguments::parse("{}");
  if (!none.ok()) co_return internal_error("no arguments are arguments");
  const Life life;
  const ToolCall call{*none, tool, caller, {}, false, life};
  const Outcome<bool> allowed = co_await engine.gate.admit(call);
  if (allowed.ok()) co_return Result<void>();
  const Failure& why = allowed.failure();
  co_return Error{fault_row(why.fault).canonical, why.message, {}};
}

/// Pictures of recordings show what the caller could take itself.
Task<Result<void>> may_see(Engine& engine, const std::string& caller) {
  for (const std::string_view name : kPictureTools) {
    const Tool* const tool = find_tool(name);
    if (tool == nullptr) co_return internal_error("there is no tool " + std::string(name));
    Result<void> allowed = co_await may(engine, caller, *tool);
    if (!allowed.ok()) co_return allowed;
  }
  co_return Result<void>();
}

}  // namespace

Task<bool> recordings_are_withheld(Engine& engine, const std::string& caller) {
  const Result<void> allowed = co_await may(engine, caller, kTraceRead);
  co_return !allowed.ok() && allowed.error().code == Code::PermissionDenied;
}

Task<Result<RecordingInfos>> list_recordings(Engine& engine, RecordingListRequest request) {
  const Result<void> allowed = co_await may(engine, request.caller, kTraceRead);
  if (!allowed.ok()) co_return allowed.error();
  RecordingInfos out;
  const std::string dir = engine.settings.tracing.dir;
  const std::string running = engine.tracer.status(engine).trace_id;
  std::function<void()> work = [&] { out = list_traces(dir, request, running); };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) co_return done.error();
  co_return out;
}

Task<Result<RecordingContents>> read_recording(Engine& engine, RecordingReadRequest request) {
  const Result<void> allowed = co_await may(engine, request.caller, kTraceRead);
  if (!allowed.ok()) co_return allowed.error();
  const bool picture = request.form == RecordingForm::Picture;
  Result<void> seen;
  if (picture || request.form == RecordingForm::Page)
    seen = co_await may_see(engine, request.caller);
  if (picture && !seen.ok()) co_return seen.error();
  const std::string dir = engine.settings.tracing.dir;
  const std::string running = engine.tracer.status(engine).trace_id;
  const bool pictures = seen.ok();
  Result<RecordingContents> out = RecordingContents{};
  std::function<void()> work = [&] { out = read_trace(dir, request, running, pictures); };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) co_return done.error();
  co_return out;
}

}  // namespace gantry::observation
