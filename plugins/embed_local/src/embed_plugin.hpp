// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/embedding.hpp>
#include <gantry/embedding/gate.hpp>
#include <gantry/plugin.hpp>

#include <cstdint>
#include <memory>
#include <mutex>

#include "engine.hpp"
#include "settings.hpp"

namespace gantry::embed_local {

/// Serves gantry.embedding.*. On its strand are the line of requests and the checks; vectors are
/// made on threads of the blocking pool.
class EmbedPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  struct Job;

  void embed(const Ref<EmbedRequest>& request, Reply<Embed> reply);
  void begin(const std::shared_ptr<Job>& job, Duration waited);
  void refuse(Job& job, embedding::Gate::Refusal why);
  void work(Job& job);
  void tell_health(Reply<EmbeddingHealth> reply);
  void probe();
  void touch();
  void wait_for_idling(Duration delay);

  /// The engine, opened if it is not. Any thread that may wait.
  Result<std::shared_ptr<const Engine>> engine();
  void release();

  Settings settings_;
  embedding::Gate gate_{host()};
  Timer idling_;
  bool awaits_idling_ = false;
  std::int64_t last_ns_ = 0;

  std::mutex mutex_;  // of the two below
  Settings engine_settings_;
  std::shared_ptr<const Engine> engine_;

  Metric texts_;
  Metric seconds_;
};

}  // namespace gantry::embed_local
