// SPDX-License-Identifier: Apache-2.0
#pragma once
// The daemon's agent in this process: transport, store, identity, artifacts, engine, the scripted
// model and the WebSocket. Its folder outlives it, so that a second one goes on from there.

#include <gantry/testkit/kernel.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "../support/daemon_config.hpp"

namespace gantry::conformance {

class AgentServer {
 public:
  /// `config` has YAML flow maps by plugin ("agent_ws" → "{echo_tool_output: true}"). The plugin is
  /// left out where it is "-". Without "identity" nobody needs an install token.
  AgentServer(const std::filesystem::path& state, FlowConfig config = {});

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] testkit::InProcessKernel& kernel() { return *kernel_; }

 private:
  std::unique_ptr<testkit::InProcessKernel> kernel_;
  std::uint16_t port_ = 0;
};

}  // namespace gantry::conformance
