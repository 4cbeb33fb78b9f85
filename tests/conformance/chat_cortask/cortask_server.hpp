// SPDX-License-Identifier: Apache-2.0
#pragma once
// The daemon's agent in this process with Cortask's chat in front of it: transport, store,
// artifacts, engine, tools for files and commands, and the scripted model.

#include <gantry/testkit/kernel.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "../support/daemon_config.hpp"

namespace gantry::conformance {

class CortaskServer {
 public:
  /// `config` has flow maps by plugin; one is left out where it is "-".
  CortaskServer(const std::filesystem::path& state, FlowConfig config);

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] testkit::InProcessKernel& kernel() { return *kernel_; }
  /// Id and folder of the workspace that is there from the beginning.
  [[nodiscard]] const std::string& workspace() const { return workspace_; }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// The folder of everything that the server keeps.
  [[nodiscard]] const std::filesystem::path& state() const { return state_; }

 private:
  std::filesystem::path state_;
  std::unique_ptr<testkit::InProcessKernel> kernel_;
  std::uint16_t port_ = 0;
  std::string workspace_;
  std::filesystem::path root_;
};

}  // namespace gantry::conformance
