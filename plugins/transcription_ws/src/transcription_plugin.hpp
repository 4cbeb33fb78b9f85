// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/listener.hpp>
#include <gantry/plugin.hpp>

#include "server.hpp"

namespace gantry::transcription_ws {

/// Mounts the WebSocket and hands its clients to the server.
class TranscriptionPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  [[nodiscard]] MountRequest mounts() const;

  Server server_{host()};
  LateMount late_mount_{host()};
};

}  // namespace gantry::transcription_ws
