// SPDX-License-Identifier: Apache-2.0
//
// The plugin's behaviour: what an artifact must be, whose it is, and how long it stays.
#pragma once

#include <gantry/contracts/artifact.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <string>
#include <vector>

#include "blobs.hpp"
#include "catalog.hpp"
#include "settings.hpp"

namespace gantry::artifacts {

class ArtifactsPlugin final : public Plugin {
 public:
  explicit ArtifactsPlugin(Host& host) : Plugin(host), catalog_(host) {}

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;

 private:
  struct Upload;

  void put(const Ref<ArtifactPutRequest>& request, Reply<ArtifactPut> reply);
  void keep(const std::shared_ptr<Upload>& upload);
  void enter(const std::shared_ptr<Upload>& upload, const Result<void>& kept);
  void get(const ArtifactRequest& request, Reply<ArtifactGet> reply);
  Result<void> serve_catalog();
  void sweep();
  void sweep_expired();
  void sweep_bytes();
  [[nodiscard]] std::int64_t now_ms() const;

  Settings settings_;
  std::shared_ptr<Blobs> blobs_;
  Catalog catalog_;
  Timer sweeper_;
  Metric uploads_;
  Metric upload_bytes_;
};

}  // namespace gantry::artifacts
