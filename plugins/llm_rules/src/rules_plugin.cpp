// SPDX-License-Identifier: Apache-2.0
#include "rules_plugin.hpp"

#include <gantry/llm/local_provider.hpp>
#include <gantry/llm/token_estimate.hpp>

#include <string>
#include <string_view>

#include "plan.hpp"

namespace gantry::rules {

using Handlers = StreamHandlers<Nothing>;

namespace {

/// Ends every answer: who reads it may have expected a model's.
constexpr std::string_view kSigned = "\n(The rule planner's answer; no language model was asked.)";

}  // namespace

Result<void> RulesPlugin::init() {
  GANTRY_TRY(reconfigure());
  return llm::serve_local_provider(
      host(), [] { return model(); },
      [this](const Ref<LlmChatRequest>& request, Stream<LlmChunk> down) {
        return chat(request, std::move(down));
      });
}

Result<void> RulesPlugin::start() {
  host().bus().publish<LlmModelsChanged>({host().name()});
  return {};
}

Result<void> RulesPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return {};
}

LlmModel RulesPlugin::model() {
  LlmModel model;
  model.id = "rules";
  model.provider = "rules";
  model.display_name = "Rule planner (no language model)";
  model.capabilities.tools = true;
  model.capabilities.temperature = false;
  model.context_window = 1'000'000;
  model.local = true;
  model.is_default = true;
  model.available = true;
  return model;
}

Result<Handlers> RulesPlugin::chat(const Ref<LlmChatRequest>& request, Stream<LlmChunk> down) {
  auto answer = std::make_shared<llm::Answer>(std::move(down), host().name(), "rules", [request] {
    return llm::estimate_tokens(request->messages, request->tools);
  });
  host().post([this, request, answer] {
    if (!answer->cancelled()) this->answer(*request, *answer);
  });
  Handlers handlers;
  handlers.on_writable = [answer] { answer->writable(); };
  handlers.on_end = [answer](const Error&) { answer->cancel(); };
  return handlers;
}

void RulesPlugin::answer(const LlmChatRequest& request, llm::Answer& answer) const {
  const Move move = next_move(request, settings_.wait_timeout);
  answer.started();
  answer.text(move.calls.empty() ? move.text + std::string(kSigned) : move.text);
  for (const LlmToolCall& call : move.calls) {
    answer.tool_begin(call.id, call.name);
    answer.tool_delta(call.id, call.arguments.text);
    answer.tool_done(call.id, call.name, call.arguments.text);
  }
  answer.finish(move.calls.empty() ? LlmFinishReason::Stop : LlmFinishReason::ToolCalls, {});
}

}  // namespace gantry::rules
