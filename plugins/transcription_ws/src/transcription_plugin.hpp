// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/plugin.hpp>

#include <string>

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
  /// The listener is another plugin's, which may start later.
  void mount_later();
  void ready(const std::string& address);

  Server server_{host()};
  Timer retry_;
};

}  // namespace gantry::transcription_ws
