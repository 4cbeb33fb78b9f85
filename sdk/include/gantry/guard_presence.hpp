// SPDX-License-Identifier: Apache-2.0
// Whether silence of the guard is a refusal.
#pragma once

#include <gantry/bus.hpp>
#include <gantry/contracts/guard.hpp>
#include <gantry/contracts/kernel.hpp>

#include <algorithm>

namespace gantry {

/// Whether a guard belongs to this daemon, although it may be away just now: then nothing that it
/// judges may be done unasked. `plugins` is what the kernel answered to KernelPlugins; no answer
/// counts as yes.
[[nodiscard]] inline bool guard_installed(const Result<Ref<PluginInfoList>>& plugins) {
  if (!plugins.ok()) return true;
  return std::any_of(
      (*plugins)->plugins.begin(), (*plugins)->plugins.end(), [](const PluginInfo& plugin) {
        const auto& provides = plugin.provides;
        return plugin.state != "disabled" &&
               std::find(provides.begin(), provides.end(), GuardAdmit::kName) != provides.end();
      });
}

}  // namespace gantry
