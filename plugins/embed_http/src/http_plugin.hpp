// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/embedding.hpp>
#include <gantry/http/pool.hpp>
#include <gantry/plugin.hpp>

#include <memory>

#include "remote_embedder.hpp"
#include "settings.hpp"

namespace gantry::embed_http {

/// Serves gantry.embedding.* with a server; asked before embed_local once it is configured.
class EmbedHttpPlugin final : public Plugin {
 public:
  explicit EmbedHttpPlugin(Host& host);
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  std::shared_ptr<http::Fetching> fetch(http::HttpRequest request, RemoteEmbedder::Done done);
  void probe();
  void sweep_later();

  Settings settings_;
  std::shared_ptr<http::HttpPool> pool_;
  RemoteEmbedder embedder_;
  Timer sweeping_;
  bool sweeps_ = false;
};

}  // namespace gantry::embed_http
