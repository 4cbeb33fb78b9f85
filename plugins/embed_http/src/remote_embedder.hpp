// SPDX-License-Identifier: Apache-2.0
//
// Embeddings of a server: so many requests at a time, large ones in parts, and none for a while
// when it fails. Strand only.
#pragma once

#include <gantry/contracts/embedding.hpp>
#include <gantry/embedding/breaker.hpp>
#include <gantry/embedding/gate.hpp>
#include <gantry/host.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/reply.hpp>

#include <functional>
#include <memory>
#include <optional>

#include "settings.hpp"

namespace gantry::embed_http {

class RemoteEmbedder {
 public:
  using Done = std::function<void(Result<http::HttpAnswer>)>;
  /// Sends a request; `done` runs on the strand, once, unless it is cancelled.
  using Fetch = std::function<std::shared_ptr<http::Fetching>(http::HttpRequest, Done)>;

  RemoteEmbedder(Host& host, Fetch fetch);
  RemoteEmbedder(const RemoteEmbedder&) = delete;
  RemoteEmbedder& operator=(const RemoteEmbedder&) = delete;

  void configure(const Settings& settings);
  void embed(const Ref<EmbedRequest>& request, Reply<Embed> reply);
  /// What the service says of itself; for a server that has no such question, the space of what it
  /// made last, or of the word "test".
  void tell_health(Reply<EmbeddingHealth> reply);
  void stop();

 private:
  struct Job;

  void begin(const std::shared_ptr<Job>& job, Duration waited);
  void ask(const std::shared_ptr<Job>& job);
  void take(const std::shared_ptr<Job>& job, std::size_t count,
            const Result<http::HttpAnswer>& answer);
  void finish(const std::shared_ptr<Job>& job, Result<EmbedResult> result);
  void give_up(const std::shared_ptr<Job>& job);
  [[nodiscard]] Error refusal(embedding::Gate::Refusal why) const;
  [[nodiscard]] Error circuit_open() const;

  Host& host_;
  Fetch fetch_;
  Settings settings_;
  embedding::Gate gate_;
  embedding::Breaker breaker_;
  std::optional<EmbeddingSpace> last_space_;
  Metric requests_, failures_;
};

}  // namespace gantry::embed_http
