// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "serving.hpp"

namespace gantry::mcp_fixtures {
namespace {

class McpFixtures final : public Plugin {
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

}  // namespace
}  // namespace gantry::mcp_fixtures

GANTRY_PLUGIN(gantry::mcp_fixtures::McpFixtures, "mcp_fixtures", "0.1.0")
