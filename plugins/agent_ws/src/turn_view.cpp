// SPDX-License-Identifier: Apache-2.0
#include "turn_view.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/llm.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "append_json.hpp"
#include "error_text.hpp"
#include "history_rows.hpp"
#include "json_field.hpp"
#include "text.hpp"
#include "tool_frames.hpp"
#include "trace.hpp"
#include "user_message.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::size_t kPreview = 280;  // bytes of a summary

constexpr std::string_view kStreamPath = "backend.stream/stream";
constexpr std::string_view kPromptPath = "backend.prompt/build";
constexpr std::string_view kPolicyPath = "tool.schema.policy/project";
constexpr std::string_view kProviderPath = "provider.call/request";

/// What is traced of an agent_definition, in the order of the wire.
struct DefinitionStage {
  std::string_view path;
  bool of_manifest;  // only when a manifest came with it
};
constexpr DefinitionStage kDefinitionStages[] = {
    {"agent_definition/client_tool_manifest.validate", true},
    {"agent_definition/client_prompt_layers.validate", false},
    {"agent_definition/client_capability_manifest.validate", false},
    {"agent_definition/client_tool_manifest.apply", false},
    {"agent_definition/client_capability_manifest.policy", false},
    {"agent_definition/client_prompt_layers.apply", false},
    {"agent_definition/client_capability_manifest.apply", false},
};

constexpr const char* kSearching = "Searching the web";
constexpr std::string_view kRestarted =
    "The server was restarted before this query was finished. Please send it again.";

/// The body of an event; what cannot be read is empty, which only a damaged log can bring.
template <class T>
T body_of(const SessionEvent& event) {
  return from_json<T>(event.body.text).value_or(T{});
}

Trace provider_trace(std::string_view status) {
  return {.path = kProviderPath, .status = status, .runtime = "provider"};
}

std::optional<std::vector<PictureRef>> if_any(std::vector<PictureRef> pictures) {
  if (pictures.empty()) return std::nullopt;
  return pictures;
}

std::optional<std::string> if_said(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

TurnView::TurnView(FrameContext context, TurnViewOptions options, Sinks sinks)
    : frames_(std::move(context)), options_(options), sinks_(std::move(sinks)) {}

template <class Write>
void TurnView::emit_written(std::string_view type, std::int64_t at_ms, Write write) {
  if (silent_) return;
  std::string frame = frames_.next(type, at_ms, write);
  if (frames_.last_sequence() > options_.after_sequence) sinks_.send(std::move(frame));
}

template <class T>
void TurnView::emit(std::string_view type, const T& payload, std::int64_t at_ms) {
  emit_written(type, at_ms, [&payload](std::string& out) { append_json(out, payload); });
}

void TurnView::emit(const NamedPayload& named, std::int64_t at_ms) {
  emit_written(named.type, at_ms, [&named](std::string& out) { out += named.payload; });
}

void TurnView::trace(std::string_view path, std::string_view status, std::int64_t at_ms) {
  trace(Trace{.path = path, .status = status}, at_ms);
}

void TurnView::trace(Trace trace, std::int64_t at_ms) {
  trace.id = frames_.context().turn_ref;
  trace.time = frames_.time(at_ms);
  emit_written("trace-event", at_ms, [&trace](std::string& out) { write_trace(out, trace); });
}

void TurnView::take(const SessionEvent& event) {
  if (over_) return;
  if (event.kind != EventKind::Usage) close_model_call();
  switch (event.kind) {
    case EventKind::TurnAccepted: return on_accepted(event);
    case EventKind::TurnStarted: return on_started(event);
    case EventKind::UserMessage:
      if (!prompt_shown_) user_ = body_of<HistoryRow>(event);
      return;
    case EventKind::PromptBuilt: return on_prompt(event);
    case EventKind::ModelCallStarted: return on_model_call(event);
    case EventKind::ThinkingDelta:
    case EventKind::Notice: return emit("llm-thought", LlmThought{event.text}, event.at_ms);
    case EventKind::TextDelta:
      text_sent_ = true;
      return emit("streaming-response", TextPayload{event.text}, event.at_ms);
    case EventKind::Image: {
      const auto image = body_of<ImageRef>(event);
      if (!image.artifact.empty()) pictures_.push_back({image.artifact, image.media_type});
      return;
    }
    case EventKind::Search: return on_search(event);
    case EventKind::ModelCallFinished: return on_model_done(event);
    case EventKind::Usage: return on_usage(event);
    case EventKind::AssistantMessage: return on_assistant(event);
    case EventKind::ToolCalls: return on_tool_calls(event);
    case EventKind::ToolProgress: return on_tool_progress(event);
    case EventKind::ToolResult: return on_tool_result(event);
    case EventKind::ApprovalRequested: return on_approval(event);
    case EventKind::CompactionStarted:
    case EventKind::CompactionFinished:
    case EventKind::CompactionFailed: return on_compaction(event);
    case EventKind::HistoryUpdated:
      if (marks_.revision_id.empty() || frames_.context().conversation_ref.empty()) return;
      history_event_ = event;
      needs_history_ = true;
      return;
    case EventKind::Error: return on_error_event(event);
    case EventKind::TurnFinished: return on_finished(event);
    case EventKind::ApprovalAnswered:
    case EventKind::QuestionnaireRequested:
    case EventKind::QuestionnaireAnswered:
    case EventKind::HistoryReplaced: return;  // this protocol has no message for them
  }
}

void TurnView::on_accepted(const SessionEvent& event) {
  marks_ = QueryMarks::of(body_of<TurnAcceptedBody>(event).caller);
  emit("query-accepted", QueryAccepted{}, event.at_ms);
  if (!marks_.speech) return;
  std::optional<Error> missing;
  if (!marks_.mute.empty()) missing = Error{Code::Unavailable, marks_.mute, {}};
  emit({"trace-event", speech_trace(frames_.context().turn_ref, event.at_ms, missing)},
       event.at_ms);
}

void TurnView::on_started(const SessionEvent& event) {
  trace(kStreamPath, "started", event.at_ms);
  if (!marks_.definition) return;
  for (const DefinitionStage& stage : kDefinitionStages) {
    if (stage.of_manifest && !marks_.manifest) continue;
    trace(stage.path, "succeeded", event.at_ms);
  }
}

void TurnView::on_prompt(const SessionEvent& event) {
  const auto body = body_of<PromptBuiltBody>(event);
  prompt_shown_ = true;
  trace(kPromptPath, "started", event.at_ms);
  trace(kPromptPath, "succeeded", event.at_ms);
  trace(kPolicyPath, "succeeded", event.at_ms);
  emit(kSystemPrompt, system_prompt(body), event.at_ms);
  emit(kUserMessageFull, user_message_full(user_), event.at_ms);
  emit(kToolSchemas, tool_schemas(body.tools), event.at_ms);
}

void TurnView::on_model_call(const SessionEvent& event) {
  const auto body = body_of<ModelCallBody>(event);
  text_sent_ = false;
  pictures_.clear();
  if (body.iteration > 1 && body.attempt <= 1) {
    trace(kPromptPath, "started", event.at_ms);
    trace(kPromptPath, "succeeded", event.at_ms);
    trace(kPolicyPath, "succeeded", event.at_ms);
  }
  Trace started = provider_trace("started");
  started.data = event.body.text;
  trace(started, event.at_ms);
}

void TurnView::on_model_done(const SessionEvent& event) { open_call_ = event; }

/// The trace of a model call comes after its token-count.
void TurnView::close_model_call() {
  if (!open_call_) return;
  const SessionEvent event = std::move(*open_call_);
  open_call_.reset();
  const auto body = body_of<ModelCallBody>(event);
  const bool failed = body.stop_reason == "error" || body.stop_reason == "cancelled";
  Trace ended = provider_trace(failed ? "failed" : "succeeded");
  ended.data = event.body.text;
  ended.duration_ms = body.duration_ms;
  if (failed) ended.error = {body.stop_reason, "the model's answer did not end normally"};
  trace(ended, event.at_ms);
}

void TurnView::on_usage(const SessionEvent& event) {
  const auto body = body_of<UsageBody>(event);
  TokenCount count;
  count.prompt_tokens = body.prompt_tokens;
  count.visible_output_tokens = body.visible_output_tokens;
  count.thinking_tokens = json_number_or_null(body.thinking_tokens);
  count.output_tokens_total = body.output_tokens_total;
  count.total_tokens = body.total_tokens;
  count.conversation_tokens = body.conversation_tokens;
  count.usage_source = body.usage_source;
  count.cached_tokens = json_number_or_null(body.cached_tokens);
  if (body.cached_tokens) {
    const bool hit = *body.cached_tokens > 0;
    count.cache_hit = Json(hit ? "true" : "false");
    count.cache_status = json_text(hit ? "hit" : "miss");
  }
  emit("token-count", count, event.at_ms);
  close_model_call();
}

void TurnView::on_assistant(const SessionEvent& event) {
  const auto row = body_of<HistoryRow>(event);
  turn_pictures_.insert(turn_pictures_.end(), pictures_.begin(), pictures_.end());
  shown_ = row.text;
  if (row.text.empty() && pictures_.empty()) return;
  emit("assistant-message-full", AssistantMessageFull{row.text, if_any(pictures_)}, event.at_ms);
}

void TurnView::on_tool_calls(const SessionEvent& event) {
  const auto body = body_of<ToolCallsBody>(event);
  bool bundled = false;
  for (const ToolCallItem& item : body.calls) {
    if (body.bundle.empty() || item.place != ToolPlace::Client) {
      emit("tool-call", tool_call(item), event.at_ms);
      continue;
    }
    if (std::exchange(bundled, true)) continue;  // the first of them has brought them all
    ToolBundlePayload bundle{body.bundle, {}};
    std::vector<std::string> requests;
    for (const ToolCallItem& other : body.calls) {
      if (other.place != ToolPlace::Client) continue;
      bundle.tools.push_back(bundle_item(other));
      requests.push_back(other.request);
    }
    if (sinks_.on_bundle) sinks_.on_bundle(body.bundle, std::move(requests));
    emit("tool-bundle", bundle, event.at_ms);
  }
}

void TurnView::on_tool_progress(const SessionEvent& event) {
  const auto body = body_of<ToolProgressBody>(event);
  if (body.tool != "web_search") return;
  WebSearchProgress progress;
  progress.text = kSearching;
  progress.request_id = body.request;
  emit("web-search-progress", progress, event.at_ms);
}

/// A step of the provider's own search.
void TurnView::on_search(const SessionEvent& event) {
  const auto step = body_of<LlmSearchStep>(event);
  WebSearchProgress progress;
  progress.text =
      step.query.empty() ? std::string(kSearching) : fmt::format("{}: {}", kSearching, step.query);
  progress.request_id = if_said(step.id);
  progress.action_type = if_said(step.action);
  progress.query = if_said(step.query);
  progress.url = if_said(step.url);
  progress.pattern = if_said(step.pattern);
  emit("web-search-progress", progress, event.at_ms);
}

void TurnView::on_tool_result(const SessionEvent& event) {
  const auto body = body_of<ToolResultBody>(event);
  if (body.place == ToolPlace::Client && !options_.echo_tool_output) return;
  ToolOutputPayload payload;
  payload.tool_name = body.place == ToolPlace::Client || body.tool.empty() ? body.name : body.tool;
  payload.success = !body.is_error;
  payload.execution_time = static_cast<double>(body.duration_ms) / 1000.0;
  payload.output = json_text(body.output);
  if (body.is_error) payload.error = json_text(body.output);
  for (const ImageRef& image : body.images) {
    if (image.artifact.empty()) continue;
    payload.screenshot_ref = json_text(image.artifact);
    payload.screenshot_content_type = image.media_type;
    break;
  }
  payload.metadata = Json(to_json(
      ToolOutputMetadata{body.request, body.id,
                         body.place == ToolPlace::Client ? "client" : "backend", body.truncated}));
  emit("tool-output", payload, event.at_ms);
}

void TurnView::on_approval(const SessionEvent& event) {
  emit("llm-thought",
       LlmThought{event.text.empty() ? "Waiting for an approval of the "
                                       "daemon's operator."
                                     : event.text},
       event.at_ms);
}

void TurnView::on_compaction(const SessionEvent& event) {
  constexpr std::string_view kPath = "backend.compaction/compact";
  const auto report = body_of<CompactionReport>(event);
  NamedPayload named;
  if (event.kind == EventKind::CompactionStarted) {
    trace(kPath, "started", event.at_ms);
    named = compaction_started(report);
  } else if (event.kind == EventKind::CompactionFinished) {
    named = compaction_completed(report, frames_.context().conversation_ref);
  } else {
    named = compaction_failed(report, true);
  }
  emit(named, event.at_ms);
  if (event.kind == EventKind::CompactionFinished) {
    trace(kPath, "succeeded", event.at_ms);
  } else if (event.kind == EventKind::CompactionFailed) {
    Trace failed{.path = kPath, .status = "failed"};
    failed.error = {"COMPACTION_FAILED", kInternalSentence};
    trace(failed, event.at_ms);
  }
}

void TurnView::give_history(const SessionHistoryRows& history) {
  needs_history_ = false;
  if (!history_event_) return;
  const std::int64_t at_ms = history_event_->at_ms;
  history_event_.reset();
  const FrameContext& context = frames_.context();
  emit("model-history-updated",
       model_history_updated(history, context.conversation_ref, marks_.revision_id,
                             context.turn_ref, at_ms),
       at_ms);
}

void TurnView::on_error_event(const SessionEvent& event) {
  const auto body = body_of<ErrorBody>(event);
  failed_ = true;
  if (sinks_.on_error) sinks_.on_error(body);
  emit("error", ErrorPayload{turn_error_text(body), std::nullopt}, event.at_ms);
}

/// The final text, for a client that has seen no piece of it, and the terminal event.
void TurnView::finish_text(const TurnFinishedBody& body, std::int64_t at_ms) {
  const std::string& text = body.final_text.empty() ? body.reason : body.final_text;
  if (body.final_was_empty && text != shown_) {
    emit("assistant-message-full", AssistantMessageFull{text, std::nullopt}, at_ms);
  }
  if (!text_sent_ && !text.empty()) {
    emit("streaming-response", TextPayload{text}, at_ms);
  }
  emit("streaming-complete", StreamingComplete{text, if_any(turn_pictures_)}, at_ms);
}

void TurnView::on_finished(const SessionEvent& event) {
  const auto body = body_of<TurnFinishedBody>(event);
  over_ = true;
  switch (body.end) {
    case TurnEnd::Cancelled:
    case TurnEnd::Abandoned: return;  // a stopped turn says nothing more
    case TurnEnd::Completed:
    case TurnEnd::Limit: finish_text(body, event.at_ms); break;
    case TurnEnd::Failed:
    case TurnEnd::Restarted:
      if (!std::exchange(failed_, true)) {
        const bool restarted = body.end == TurnEnd::Restarted;
        emit("error",
             ErrorPayload{std::string(restarted ? kRestarted : kInternalSentence), std::nullopt},
             event.at_ms);
      }
      break;
  }
  Trace ended{.path = kStreamPath, .status = failed_ ? "failed" : "succeeded"};
  ended.duration_ms = body.duration_ms;
  if (failed_) ended.error = {"TURN_FAILED", kInternalSentence};
  trace(ended, event.at_ms);
}

std::string speech_trace(std::string_view message, std::int64_t at_ms,
                         const std::optional<Error>& failure) {
  const std::string time = iso_time(at_ms);
  Trace trace{.path = "tts.playback/session",
              .status = failure ? "failed" : "started",
              .id = message,
              .time = time};
  if (failure) trace.error = {code_name(failure->code), failure->message};
  std::string out;
  write_trace(out, trace);
  return out;
}

NamedPayload compaction_started(const CompactionReport& report) {
  return {"context-compaction-started",
          to_json(CompactionStartedPayload{report.reason, report.strategy, report.before_tokens,
                                           report.projected_tokens})};
}

NamedPayload compaction_completed(const CompactionReport& report,
                                  const std::string& conversation_ref) {
  CompactionCompletedPayload out;
  out.reason = report.reason;
  out.strategy = report.strategy;
  out.before_tokens = report.before_tokens;
  out.after_tokens = report.after_tokens;
  out.removed_messages = report.removed_messages;
  out.summary_preview = beginning(report.summary, kPreview);
  out.summary_text = report.summary;
  out.skipped_reason = json_text_or_null(report.skipped);
  if (report.skipped.empty()) {
    for (const HistoryRow& row : report.rows) {
      out.replacement_history_preview.push_back(
          {role_name(row.role), row_type_name(row.type), beginning(row.text, kPreview),
           json_text_or_null(row.tool), json_text_or_null(row.call)});
      out.replacement_history_entries.emplace_back(to_json(wire_row(row, conversation_ref, "")));
    }
  }
  return {"context-compaction-completed", to_json(out)};
}

NamedPayload compaction_failed(const CompactionReport& report, bool with_tokens) {
  return {"context-compaction-failed",
          to_json(CompactionFailedPayload{
              report.reason, report.strategy,
              report.error.empty() ? std::string(kInternalSentence) : report.error,
              with_tokens ? Json(std::to_string(report.before_tokens)) : Json()})};
}

}  // namespace gantry::agent_ws
