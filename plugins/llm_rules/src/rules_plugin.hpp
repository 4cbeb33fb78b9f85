// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin: a model that is none. Everything on its strand, at once.

#include <gantry/contracts/llm.hpp>
#include <gantry/llm/answer.hpp>
#include <gantry/plugin.hpp>

#include "settings.hpp"

namespace gantry::rules {

class RulesPlugin final : public Plugin {
 public:
  explicit RulesPlugin(Host& host) : Plugin(host) {}

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;

 private:
  [[nodiscard]] static LlmModel model();
  Result<StreamHandlers<Nothing>> chat(const Ref<LlmChatRequest>& request, Stream<LlmChunk> down);
  void answer(const LlmChatRequest& request, llm::Answer& answer) const;

  Settings settings_;
};

}  // namespace gantry::rules
