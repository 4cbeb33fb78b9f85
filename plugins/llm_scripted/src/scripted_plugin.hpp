// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin: serves the contracts of models with what scripts say. On its strand.

#include <gantry/contracts/llm.hpp>
#include <gantry/plugin.hpp>

#include <map>
#include <memory>

#include "player.hpp"
#include "settings.hpp"

namespace gantry::scripted {

class ScriptedPlugin final : public Plugin {
 public:
  explicit ScriptedPlugin(Host& host) : Plugin(host) {}

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;
  /// Answers whose stream has not ended yet.
  [[nodiscard]] std::size_t open() const { return players_->size(); }

 private:
  using Players = std::map<std::uint64_t, std::shared_ptr<Player>>;

  [[nodiscard]] LlmModel model() const;
  Result<StreamHandlers<Nothing>> chat(const Ref<LlmChatRequest>& request, Stream<LlmChunk> down);
  [[nodiscard]] llm::Failure overflow(std::int64_t tokens) const;

  Settings settings_;
  std::shared_ptr<Players> players_ = std::make_shared<Players>();
  std::uint64_t last_id_ = 0;
};

}  // namespace gantry::scripted
