// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

namespace {
class MissingDependency final : public gantry::Plugin {
 public:
  using Plugin::Plugin;
};
}  // namespace

GANTRY_PLUGIN(MissingDependency, "missing_dependency", "0.1.0")
