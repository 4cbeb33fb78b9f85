// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include <unistd.h>

namespace {
class HangsInStop final : public gantry::Plugin {
 public:
  using Plugin::Plugin;
  void stop(gantry::Deadline) override {
    while (true) pause();
  }
};
}  // namespace

GANTRY_PLUGIN(HangsInStop, "hangs_in_stop", "0.1.0")
