// SPDX-License-Identifier: Apache-2.0
#pragma once
// One question to a model. Strand only.

#include <gantry/contracts/llm.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <memory>
#include <string>

namespace gantry::agent {

/// How a question failed.
struct ModelFailure {
  Error error;
  LlmErrorDetail detail;  // as the provider's plugin says it; else empty
  bool visible = false;   // something of an answer had come before
};

struct ModelEvents {
  std::function<void(const LlmChunk&)> chunk;  // all but Finish
  std::function<void(const LlmFinish&)> finish;
  std::function<void(const ModelFailure&)> fail;
};

/// Ends the request when it goes; then nothing more is heard of it.
class ModelCall {
 public:
  /// To be made in a context of the engine's own.
  ModelCall(Host& host, const std::string& plugin, LlmChatRequest request, ModelEvents events);
  ModelCall(const ModelCall&) = delete;
  ModelCall& operator=(const ModelCall&) = delete;
  ~ModelCall();

 private:
  struct State;
  std::shared_ptr<State> state_;
  Stream<Nothing> stream_;
};

/// Whether asking once more may help: the provider was not reached or was busy, nothing of an
/// answer was seen, and its plugin has not tried twice itself.
[[nodiscard]] bool worth_a_retry(const ModelFailure& failure);
[[nodiscard]] bool is_overflow(const ModelFailure& failure);
/// As the turn's log tells it.
[[nodiscard]] ErrorBody error_of(const ModelFailure& failure);

}  // namespace gantry::agent
