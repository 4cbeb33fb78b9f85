// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace gantry::conformance {

/// The daemon's agent HTTP API in this process, with a state folder of its own.
class AgentServer {
 public:
  /// YAML flow maps by plugin, such as {"runs", "{max_active_per_workspace: 3}"};
  /// "off" leaves out one that is there by itself.
  explicit AgentServer(const std::map<std::string, std::string>& configs);

  [[nodiscard]] std::uint16_t port(const std::string& listener = "agent");
  [[nodiscard]] testkit::InProcessKernel& kernel() { return kernel_; }

 private:
  testkit::TempDir state_;
  testkit::InProcessKernel kernel_;
};

}  // namespace gantry::conformance
