// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include <stdexcept>

namespace {
class ThrowsInInit final : public gantry::Plugin {
 public:
  using Plugin::Plugin;
  gantry::Result<void> init() override { throw std::runtime_error("on purpose"); }
};
}  // namespace

GANTRY_PLUGIN(ThrowsInInit, "throws_in_init", "0.1.0")
