// SPDX-License-Identifier: Apache-2.0
#include "model_call.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gantry::agent {
namespace {

constexpr std::uint32_t kCredit = 64;

struct KindRow {
  std::string_view kind;
  AgentErrorCode code;
  bool transient;
};
/// LlmErrorDetail::kind.
constexpr std::array<KindRow, 12> kKinds{{{"no_key", AgentErrorCode::CONFIG_ERROR, false},
                                          {"bad_key", AgentErrorCode::CONFIG_ERROR, false},
                                          {"unknown_model", AgentErrorCode::CONFIG_ERROR, false},
                                          {"rate_limit", AgentErrorCode::LLM_RATE_LIMIT, false},
                                          {"quota", AgentErrorCode::LLM_API_ERROR, false},
                                          {"context_overflow", AgentErrorCode::LLM_ERROR, false},
                                          {"bad_request", AgentErrorCode::LLM_API_ERROR, false},
                                          {"overloaded", AgentErrorCode::LLM_API_ERROR, true},
                                          {"unreachable", AgentErrorCode::LLM_API_ERROR, true},
                                          {"timeout", AgentErrorCode::LLM_API_ERROR, true},
                                          {"broken_stream", AgentErrorCode::LLM_ERROR, true},
                                          {"empty_answer", AgentErrorCode::LLM_ERROR, false}}};

const KindRow* kind_row(const ModelFailure& failure) {
  const auto* const row = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& one) {
    return one.kind == failure.detail.kind;
  });
  return row == kKinds.end() ? nullptr : row;
}

bool shows(LlmChunkKind kind) {
  return kind == LlmChunkKind::Text || kind == LlmChunkKind::Thinking ||
         kind == LlmChunkKind::Image || kind == LlmChunkKind::ToolCall;
}

}  // namespace

struct ModelCall::State {
  /// Held by whoever calls one of them, for the call may go meanwhile.
  std::shared_ptr<const ModelEvents> events;
  bool over = false;
  bool visible = false;
};

ModelCall::ModelCall(Host& host, const std::string& plugin, LlmChatRequest request,
                     ModelEvents events)
    : state_(std::make_shared<State>()) {
  state_->events = std::make_shared<const ModelEvents>(std::move(events));
  StreamHandlers<LlmChunk> handlers;
  handlers.on_chunk = [state = state_](const Ref<LlmChunk>& chunk) {
    if (state->over) return;
    state->visible = state->visible || shows(chunk->kind);
    if (chunk->kind != LlmChunkKind::Finish || !chunk->finish) {
      const auto events = state->events;
      return events->chunk(*chunk);
    }
    state->over = true;
    const auto events = std::exchange(state->events, nullptr);
    events->finish(*chunk->finish);
  };
  const auto fail = [state = state_](const Error& error) {
    if (std::exchange(state->over, true)) return;
    ModelFailure failure;
    failure.error = error;
    if (error.code == Code::Ok) {
      failure.error = Error{Code::DataLoss, "the model's answer ended before it was complete", {}};
      failure.detail.kind = "broken_stream";
    } else if (!error.detail.empty()) {
      if (auto detail = from_json<LlmErrorDetail>(error.detail); detail.ok()) {
        failure.detail = std::move(*detail);
      }
    }
    failure.visible = state->visible || failure.detail.visible;
    const auto events = std::exchange(state->events, nullptr);
    events->fail(failure);
  };
  handlers.on_end = fail;
  StreamOptions options;
  options.target = plugin;
  options.receive_credit = kCredit;
  auto stream = host.bus().open_stream<LlmChat>(std::move(request), std::move(handlers), options);
  if (stream.ok()) {
    stream_ = std::move(*stream);
  } else {
    host.post([fail, error = stream.error()] { fail(error); });
  }
}

ModelCall::~ModelCall() {
  state_->over = true;
  state_->events.reset();
  stream_.close(Error{Code::Cancelled, "the answer is not wanted any more", {}});
}

bool worth_a_retry(const ModelFailure& failure) {
  if (failure.visible || failure.detail.attempts > 1) return false;
  if (const KindRow* row = kind_row(failure)) return row->transient;
  return failure.error.code == Code::Unavailable || failure.error.code == Code::DeadlineExceeded;
}

bool is_overflow(const ModelFailure& failure) { return failure.detail.kind == "context_overflow"; }

ErrorBody error_of(const ModelFailure& failure) {
  ErrorBody body;
  const KindRow* row = kind_row(failure);
  body.code = row == nullptr ? AgentErrorCode::LLM_ERROR : row->code;
  body.message = failure.error.message;
  body.provider = failure.detail.provider;
  body.http_status = failure.detail.http_status;
  body.retry_after_ms = failure.detail.retry_after_ms.value_or(0);
  body.retryable =
      row != nullptr && (row->transient || body.code == AgentErrorCode::LLM_RATE_LIMIT);
  return body;
}

}  // namespace gantry::agent
