// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/plugin.hpp>

#include "serving.hpp"

namespace gantry::mcp_fixtures {

/// The plugin: what the wiring exports and what its tests load.
class Fixtures final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override { return serving_.serve(); }
  Result<void> start() override {
    serving_.announce();
    return {};
  }
  void stop(Deadline) override { serving_.stop(); }

 private:
  Serving serving_{host()};
};

}  // namespace gantry::mcp_fixtures
