// SPDX-License-Identifier: Apache-2.0
//
// What a plugin serves that has one model of its own, without a provider behind it.
#pragma once

#include <gantry/contracts/llm.hpp>
#include <gantry/host.hpp>
#include <gantry/llm/token_estimate.hpp>

#include <utility>

namespace gantry::llm {

/// Serves the list with the one `model()`, estimated counts of tokens, and `chat(request, down)`,
/// which answers with the handlers of the stream.
template <class Model, class Chat>
Result<void> serve_local_provider(Host& host, Model model, Chat chat) {
  Bus& bus = host.bus();
  GANTRY_TRY(bus.serve<LlmModels>(
      [model = std::move(model)](const LlmModelsRequest&) -> Result<LlmModelList> {
        return LlmModelList{{model()}, {}};
      }));
  GANTRY_TRY(bus.serve<LlmCountTokens>([](const LlmCountRequest& request) -> Result<LlmTokenCount> {
    return estimated_count(request);
  }));
  return bus.serve_stream<LlmChat>(
      [chat = std::move(chat)](const Ref<LlmChatRequest>& request, const CallInfo&,
                               Stream<LlmChunk> down) -> Result<StreamHandlers<Nothing>> {
        return chat(request, std::move(down));
      });
}

}  // namespace gantry::llm
