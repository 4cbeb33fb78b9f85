// SPDX-License-Identifier: Apache-2.0
#include "scripted_plugin.hpp"

#include <gantry/llm/errors.hpp>
#include <gantry/llm/local_provider.hpp>
#include <gantry/llm/token_estimate.hpp>

#include <utility>

#include "library.hpp"

namespace gantry::scripted {

using Handlers = StreamHandlers<Nothing>;

Result<void> ScriptedPlugin::init() {
  GANTRY_TRY(reconfigure());
  return llm::serve_local_provider(
      host(), [this] { return model(); },
      [this](const Ref<LlmChatRequest>& request, Stream<LlmChunk> down) {
        return chat(request, std::move(down));
      });
}

Result<void> ScriptedPlugin::start() {
  host().bus().publish<LlmModelsChanged>({host().name()});
  return {};
}

Result<void> ScriptedPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return {};
}

void ScriptedPlugin::stop(Deadline) {
  for (const auto& [id, player] : std::exchange(*players_, {})) player->cancel();
}

LlmModel ScriptedPlugin::model() const {
  LlmModel model;
  model.id = "scripted";
  model.provider = "scripted";
  model.display_name = "Scripted (for tests)";
  model.capabilities = {.tools = true,
                        .parallel_tool_calls = true,
                        .images_in = true,
                        .images_out = true,
                        .thinking = true,
                        .structured_output = false,
                        .web_search = true,
                        .caching = false,
                        .temperature = false};
  model.context_window = settings_.context_window;
  model.local = true;
  model.is_default = true;
  model.available = true;
  return model;
}

/// Reading a script file is quick and local; whoever has it on a slow disk has slow tests.
Result<Handlers> ScriptedPlugin::chat(const Ref<LlmChatRequest>& request, Stream<LlmChunk> down) {
  const std::int64_t tokens = llm::estimate_tokens(request->messages, request->tools);
  if (tokens > settings_.context_window) return overflow(tokens).error();
  GANTRY_ASSIGN(ScriptedAnswer script, due_answer(*request, settings_));
  auto answer = std::make_shared<llm::Answer>(std::move(down), host().name(), "scripted",
                                              [tokens] { return tokens; });
  auto player = std::make_shared<Player>(host(), request, answer,
                                         std::chrono::milliseconds(settings_.word_delay));
  const std::uint64_t id = ++last_id_;
  players_->emplace(id, player);
  // Goes with the handlers: on_end does not come when the answer has closed the stream.
  const std::shared_ptr<void> listed(nullptr, [open = players_, id](void*) { open->erase(id); });
  host().post([player, script = std::move(script)] { player->play(script); });
  Handlers handlers;
  handlers.on_writable = [answer] { answer->writable(); };
  handlers.on_end = [listed, weak = std::weak_ptr(player)](const Error&) {
    if (const auto playing = weak.lock()) playing->cancel();
  };
  return handlers;
}

llm::Failure ScriptedPlugin::overflow(std::int64_t tokens) const {
  llm::Failure failure{llm::Trouble::ContextOverflow,
                       "the prompt has about " + std::to_string(tokens) +
                           " tokens, the scripted model takes " +
                           std::to_string(settings_.context_window) + "; shorten it",
                       {}};
  failure.detail.provider = "scripted";
  return failure;
}

}  // namespace gantry::scripted
