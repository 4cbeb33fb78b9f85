// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include <unistd.h>

namespace {
class HangsInStart final : public gantry::Plugin {
 public:
  using Plugin::Plugin;
  gantry::Result<void> start() override {
    while (true) pause();
  }
};
}  // namespace

GANTRY_PLUGIN(HangsInStart, "hangs_in_start", "0.1.0")
