// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

namespace {
using gantry::Plugin;
class OtherName final : public Plugin {
 public:
  using Plugin::Plugin;
};
}  // namespace

GANTRY_PLUGIN(OtherName, "somebody_else", "0.1.0")
