// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/testkit/kernel.hpp>

#include <cstdint>
#include <string>

namespace gantry::conformance {

/// The daemon's observer in this process: transport, engine, REST routes and the mock desktop.
class ObserverServer {
 public:
  /// `rest_config` and `observation_config` are YAML flow maps, such as "{bearer_token: x}".
  explicit ObserverServer(const std::string& rest_config = "{}",
                          const std::string& observation_config = "{}",
                          const std::string& platform = "mock");

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] testkit::InProcessKernel& kernel() { return kernel_; }

 private:
  testkit::InProcessKernel kernel_;
  std::uint16_t port_ = 0;
};

}  // namespace gantry::conformance
