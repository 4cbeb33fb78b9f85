// SPDX-License-Identifier: Apache-2.0
#include "turn.hpp"

#include <gantry/contracts/turn_ended.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "event.hpp"
#include "leftover.hpp"
#include "preview.hpp"
#include "text.hpp"
#include "tool_policy.hpp"

namespace gantry::agent {
namespace {

constexpr std::size_t kMostInjected = 5;
constexpr std::size_t kQuoted = 600;
constexpr const char* kNoModel = "No model selected. Please select a model in settings.";
constexpr const char* kEmptyAnswer =
    "I completed the requested action(s), but the model returned an empty final response.";

std::string_view stop_reason(LlmFinishReason reason) {
  switch (reason) {
    case LlmFinishReason::ToolCalls: return "tools";
    case LlmFinishReason::Length: return "length";
    case LlmFinishReason::ContentFilter:
    case LlmFinishReason::Refusal: return "filter";
    case LlmFinishReason::Stop: break;
  }
  return "stop";
}

/// Whether a reader would see nothing of it.
bool blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

}  // namespace

Error no_turn_running() {
  return failed_precondition("no turn of this session is running; start one with the message");
}

Turn::Turn(Core& core, std::shared_ptr<Session> session, TurnStartRequest request,
           std::vector<ImageRef> attachments)
    : core_(core),
      session_(std::move(session)),
      request_(std::move(request)),
      attachments_(std::move(attachments)),
      images_(std::make_shared<Images>(core.host, core.store, request_.session.principal)) {}

void Turn::begin() {
  if (phase_ != Phase::Queued) return;  // stopped a moment ago
  phase_ = Phase::Preparing;
  began_ns_ = core_.host.monotonic_ns();
  const std::int64_t configured = core_.settings.turn.max_duration;
  const std::int64_t most =
      request_.options.max_ms > 0 ? std::min(request_.options.max_ms, configured) : configured;
  limit_ = core_.host.after(std::chrono::milliseconds(most), [weak = weak_from_this(), most] {
    if (const auto self = weak.lock()) {
      self->stop(TurnEnd::Limit, "the turn took longer than " + std::to_string(most / 1000) + " s");
    }
  });
  log(text_event(EventKind::TurnStarted, {}));
  prepare();
}

void Turn::prepare() {
  core_.models.choose(request_.options.model, credentials_of(request_.options),
                      [weak = weak_from_this()](Result<ChosenModel> chosen) {
                        if (const auto self = weak.lock()) self->take_model(std::move(chosen));
                      });
}

void Turn::take_model(Result<ChosenModel> chosen) {
  if (phase_ != Phase::Preparing) return;
  if (!chosen.ok() && chosen.error().code == Code::FailedPrecondition) {
    say();
    log(text_event(EventKind::Notice, kNoModel));
    totals_.final_was_empty = true;
    totals_.final_text = kNoModel;
    return finish(TurnEnd::Completed, chosen.error().message);
  }
  if (!chosen.ok()) {
    say();
    ErrorBody error;
    error.code = AgentErrorCode::CONFIG_ERROR;
    error.message = chosen.error().message;
    return fail(error);
  }
  frame_.model = std::move(*chosen);
  session_->record.model = frame_.model.model.id;
  core_.tools.find([weak = weak_from_this()](const std::shared_ptr<const ToolSet>& tools) {
    if (const auto self = weak.lock()) self->take_tools(*tools);
  });
}

void Turn::take_tools(const ToolSet& tools) {
  if (phase_ != Phase::Preparing) return;
  const TurnOptions& options = request_.options;
  judged_ = std::make_shared<const std::vector<AgentTool>>(judge_tools(
      tools, {options.mode, options.client_tools, options.tools}, core_.settings.tools));
  frame_ = frame_of(core_, options, *judged_, std::move(frame_.model), session_->history());
  frame_.cache_key = session_->id();
  say();
  if (options.transparency) {
    log(body_event(EventKind::PromptBuilt, PromptBuiltBody{frame_.system_prompt, frame_.layers,
                                                           tool_schemas(frame_.tools)}));
  }
  next();
}

/// The user's message is in the log before anything is done about it.
void Turn::say() {
  HistoryRow row;
  row.text = user_text(request_);
  row.images = attachments_;
  session_->log_row(EventKind::UserMessage, std::move(row), request_.turn);
}

bool Turn::spent() {
  const auto least = [](std::int64_t asked, std::int64_t configured) {
    if (asked <= 0) return configured;
    return configured <= 0 ? asked : std::min(asked, configured);
  };
  const std::int64_t calls =
      least(request_.options.max_model_calls, core_.settings.turn.max_model_calls);
  if (totals_.model_calls >= calls) {
    finish(TurnEnd::Limit,
           "the model was asked " + std::to_string(calls) + " times, which is the limit of a turn");
    return true;
  }
  const std::int64_t tokens =
      least(request_.options.max_output_tokens, core_.settings.turn.max_output_tokens);
  if (tokens > 0 && totals_.output_tokens >= tokens) {
    finish(TurnEnd::Limit, "the model wrote " + std::to_string(totals_.output_tokens) +
                               " tokens; the limit of a turn is " + std::to_string(tokens));
    return true;
  }
  return false;
}

void Turn::say_injected() {
  for (std::string& text : std::exchange(injected_, {})) {
    HistoryRow row;
    row.text = std::move(text);
    session_->log_row(EventKind::UserMessage, std::move(row), request_.turn);
  }
}

void Turn::next() {
  if (phase_ == Phase::Over || spent()) return;
  phase_ = Phase::Model;
  say_injected();
  attempt_ = 1;
  const std::int64_t window = context_window();
  const bool full =
      core_.settings.compaction.enabled &&
      estimate(frame_, session_->history()) >= trigger_of(core_.settings.compaction, window);
  if (!full) return ask();
  compact(totals_.model_calls == 0 ? "auto" : "auto-mid", [this] { ask(); });
}

void Turn::compact(const std::string& reason, std::function<void()> then) {
  phase_ = Phase::Compaction;
  CompactionOrder order;
  order.reason = reason;
  order.turn = request_.turn;
  order.keep = static_cast<std::size_t>(core_.settings.compaction.keep_last);
  compaction_ = std::make_shared<Compaction>(
      core_, session_, frame_, std::move(order),
      [weak = weak_from_this(), then = std::move(then)](const CompactionReport&) {
        const auto self = weak.lock();
        if (!self || self->phase_ != Phase::Compaction) return;
        self->phase_ = Phase::Model;
        then();
      });
  compaction_->begin();
}

std::int64_t Turn::context_window() const {
  return frame_.model.model.context_window.value_or(core_.settings.context_window);
}

void Turn::ask() {
  const std::int64_t room = document_room(context_window());
  images_->load(shown_images(session_->history()), room, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->phase_ != Phase::Model) return;
    self->send(build_request(self->frame_, self->session_->history(),
                             [&](const ImageRef& image) { return self->images_->find(image); }));
  });
}

void Turn::send(LlmChatRequest request) {
  if (attempt_ == 1) ++totals_.model_calls;
  partial_.clear();
  asked_ns_ = core_.host.monotonic_ns();
  ModelCallBody body;
  body.iteration = totals_.model_calls;
  body.attempt = attempt_;
  body.provider = request.provider;
  body.model = request.model;
  log(body_event(EventKind::ModelCallStarted, body));
  const std::weak_ptr<Turn> weak = weak_from_this();
  ModelEvents events;
  events.chunk = [weak](const LlmChunk& chunk) {
    if (const auto self = weak.lock()) self->take_chunk(chunk);
  };
  events.finish = [weak](const LlmFinish& finish) {
    if (const auto self = weak.lock()) self->take_finish(finish);
  };
  events.fail = [weak](const ModelFailure& failure) {
    if (const auto self = weak.lock()) self->take_failure(failure);
  };
  const ContextScope scope = core_.store.detach();
  call_ = std::make_unique<ModelCall>(core_.host, frame_.model.plugin, std::move(request),
                                      std::move(events));
}

void Turn::take_chunk(const LlmChunk& chunk) {
  if (phase_ != Phase::Model) return;
  switch (chunk.kind) {
    case LlmChunkKind::Text:
      partial_ += chunk.text;
      return log(text_event(EventKind::TextDelta, chunk.text));
    case LlmChunkKind::Thinking: return log(text_event(EventKind::ThinkingDelta, chunk.text));
    case LlmChunkKind::Search:
      if (chunk.search) log(body_event(EventKind::Search, *chunk.search));
      return;
    case LlmChunkKind::Image:
      if (!chunk.image) return;
      return images_->keep(chunk.image->data, chunk.image->media_type,
                           [weak = weak_from_this()](const ImageRef& image) {
                             const auto self = weak.lock();
                             if (!self || self->closed_) return;
                             self->log(body_event(EventKind::Image, image));
                           });
    default: return;
  }
}

void Turn::log_usage(const LlmUsage& usage, const HistoryRow& row) {
  UsageBody body;
  body.prompt_tokens = usage.prompt_tokens;
  body.thinking_tokens = usage.thinking_tokens;
  body.output_tokens_total = usage.output_tokens;
  body.visible_output_tokens =
      std::max<std::int64_t>(0, usage.output_tokens - usage.thinking_tokens.value_or(0));
  body.cached_tokens = usage.cached_tokens;
  body.usage_source = usage.estimated ? "estimated" : "provider";
  if (usage.prompt_tokens == 0 && usage.output_tokens == 0) {
    body.usage_source = "estimated";
    body.prompt_tokens = estimate(frame_, session_->history());
    body.visible_output_tokens = body.output_tokens_total = estimate_rows({row}, 0, 1);
  }
  body.total_tokens = body.prompt_tokens + body.output_tokens_total;
  body.conversation_tokens = body.total_tokens;
  totals_.input_tokens += body.prompt_tokens;
  totals_.output_tokens += body.output_tokens_total;
  session_->record.input_tokens += body.prompt_tokens;
  session_->record.output_tokens += body.output_tokens_total;
  session_->record.conversation_tokens = body.conversation_tokens;
  log(body_event(EventKind::Usage, body));
}

void Turn::take_finish(const LlmFinish& finish) {
  if (phase_ != Phase::Model) return;
  call_.reset();
  if (images_->keeping()) {
    // The answer's pictures come before the answer.
    return images_->when_kept([weak = weak_from_this(), finish] {
      if (const auto self = weak.lock()) self->take_finish(finish);
    });
  }
  ModelCallBody body;
  body.iteration = totals_.model_calls;
  body.attempt = attempt_;
  body.provider = frame_.model.model.provider;
  body.model = finish.model.empty() ? frame_.model.model.id : finish.model;
  body.stop_reason = stop_reason(finish.reason);
  body.duration_ms = (core_.host.monotonic_ns() - asked_ns_) / 1'000'000;
  log(body_event(EventKind::ModelCallFinished, body));
  HistoryRow row = agent::row_of(finish);
  log_usage(finish.usage, row);
  std::vector<LlmToolCall> calls;
  for (const LlmBlock& block : finish.blocks) {
    if (block.kind == LlmBlockKind::ToolCall && block.tool_call) calls.push_back(*block.tool_call);
  }
  partial_.clear();
  if (calls.empty()) return complete(std::move(row));
  session_->log_row(EventKind::AssistantMessage, std::move(row), request_.turn);
  run_tools(calls);
}

void Turn::take_failure(const ModelFailure& failure) {
  if (phase_ != Phase::Model) return;
  call_.reset();
  if (attempt_ == 1 && worth_a_retry(failure)) {
    ++attempt_;
    core_.host.log().warn("a model is asked once more", {{"reason", failure.error.message}});
    return ask();
  }
  if (is_overflow(failure) && !std::exchange(overflowed_, true)) {
    return compact("overflow", [this] { ask(); });
  }
  fail(error_of(failure));
}

void Turn::run_tools(const std::vector<LlmToolCall>& calls) {
  phase_ = Phase::Tools;
  totals_.tool_calls += static_cast<std::int32_t>(calls.size());
  ToolFrame frame;
  frame.session = session_;
  frame.turn = request_.turn;
  frame.caller = request_.caller;
  frame.workspace = request_.options.workspace_path;
  frame.policy = request_.options.tools;
  frame.tools = judged_;
  frame.client_tools = request_.options.client_tools;
  frame.coordinate_methods = request_.options.coordinate_methods;
  frame.images = images_;
  step_ = std::make_shared<ToolStep>(core_, std::move(frame), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->phase_ != Phase::Tools) return;
    self->step_.reset();
    const History& history = self->session_->history();
    self->last_tool_ = history.rows.back().text;
    self->log(body_event(
        EventKind::HistoryUpdated,
        HistoryUpdatedBody{history.revision, static_cast<std::int64_t>(history.rows.size())}));
    self->next();
  });
  const auto step = step_;  // a step whose calls are all rejected is over at once
  step->begin(calls);
}

void Turn::complete(HistoryRow final) {
  if (!injected_.empty()) {
    // Something was said while the model answered: the answer was not the last one.
    if (!final.text.empty()) {
      session_->log_row(EventKind::AssistantMessage, std::move(final), request_.turn);
    }
    return next();
  }
  if (blank(final.text)) {
    totals_.final_was_empty = true;
    final.text = kEmptyAnswer;
    if (totals_.tool_calls > 0 && !last_tool_.empty()) {
      std::string_view quoted = last_tool_;
      quoted = quoted.substr(0, quoted.find("<system_context>"));
      final.text = "The last tool answered: " + std::string(cut_end(quoted, kQuoted));
    }
  }
  totals_.final_text = final.text;
  session_->log_row(EventKind::AssistantMessage, std::move(final), request_.turn);
  const History& history = session_->history();
  log(body_event(
      EventKind::HistoryUpdated,
      HistoryUpdatedBody{history.revision, static_cast<std::int64_t>(history.rows.size())}));
  finish(TurnEnd::Completed, {});
}

void Turn::fail(const ErrorBody& error) {
  log(body_event(EventKind::Error, error));
  finish(TurnEnd::Failed, error.message);
}

void Turn::stop(TurnEnd end, const std::string& reason) {
  if (phase_ == Phase::Over) return;
  call_.reset();
  if (compaction_) std::exchange(compaction_, nullptr)->cancel();
  core_.questions.drop(*session_, request_.turn, "cancelled");
  if (!partial_.empty()) {
    // What the user has read of the answer is in the history, too.
    HistoryRow row;
    row.role = RowRole::Assistant;
    row.type = RowType::AssistantResponse;
    row.text = std::exchange(partial_, {});
    session_->log_row(EventKind::AssistantMessage, std::move(row), request_.turn);
  }
  if (step_)
    std::exchange(step_, nullptr)->cancel(reason.empty() ? "the turn was stopped" : reason);
  if (phase_ == Phase::Preparing) say();
  finish(end, reason);
}

void Turn::finish(TurnEnd end, const std::string& reason) {
  phase_ = Phase::Over;
  limit_.cancel();
  linger_.cancel();
  say_injected();  // the model is not asked any more, but nothing that was taken is lost
  totals_.end = end;
  totals_.reason = reason;
  // A picture that the model has made is told of in the turn that it belongs to.
  images_->when_kept([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->close_log();
  });
}

void Turn::close_log() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  if (began_ns_ != 0) totals_.duration_ms = (core_.host.monotonic_ns() - began_ns_) / 1'000'000;
  tell_usage();
  log(body_event(EventKind::TurnFinished, totals_));
  const bool rest = session_->running == self || !session_->running;
  session_->save(rest ? Session::At::Rest : Session::At::Work,
                 {running_turn_change(session_->id(), request_.turn, std::nullopt)},
                 [self](const Result<void>& saved) {
                   if (!saved.ok()) {
                     self->core_.host.log().error("the end of a turn could not be kept",
                                                  {{"reason", saved.error().message}});
                   }
                   if (const auto over = std::exchange(self->over_, {})) over();
                 });
}

void Turn::tell_usage() {
  if (totals_.model_calls == 0) return;
  const LlmModel& model = frame_.model.model;
  core_.host.bus().publish<TurnEnded>({session_->key(), request_.turn, request_.caller,
                                       model.provider, model.id, totals_.input_tokens,
                                       totals_.output_tokens});
}

void Turn::drop() {
  phase_ = Phase::Over;
  closed_ = true;
  limit_.cancel();
  linger_.cancel();
  call_.reset();
  if (compaction_) std::exchange(compaction_, nullptr)->cancel();
  step_.reset();
}

bool Turn::take(const ClientToolResult& result) {
  const auto step = step_;
  return step && step->take(result);
}

void Turn::close_bundle(const std::string& bundle) {
  if (const auto step = step_) step->close_bundle(bundle);
}

Result<void> Turn::inject(std::string text) {
  if (phase_ == Phase::Over) return no_turn_running();
  if (injected_.size() >= kMostInjected) {
    return Error{Code::ResourceExhausted, "five messages wait for this turn already", {}};
  }
  injected_.push_back(std::move(text));
  return {};
}

void Turn::watchers_changed() {
  if (phase_ == Phase::Over || request_.options.linger_ms < 0) return;
  if (session_->watchers().any_of(request_.turn)) return linger_.cancel();
  linger_ = core_.host.after(std::chrono::milliseconds(request_.options.linger_ms),
                             [weak = weak_from_this()] {
                               if (const auto self = weak.lock()) {
                                 self->stop(TurnEnd::Abandoned, "nobody watched the turn any more");
                               }
                             });
}

void Turn::describe(SessionInfo& info) const {
  info.iteration = totals_.model_calls;
  switch (phase_) {
    case Phase::Queued: info.phase = "queued"; break;
    case Phase::Preparing:
    case Phase::Model: info.phase = "model"; break;
    case Phase::Compaction: info.phase = "compaction"; break;
    case Phase::Tools:
      info.phase = step_ && step_->waits_for_user() ? "approval" : "tools";
      if (step_) info.running_tool = step_->running_tool();
      break;
    case Phase::Over: break;
  }
}

}  // namespace gantry::agent
