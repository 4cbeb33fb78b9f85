// SPDX-License-Identifier: Apache-2.0
// Everything that is decided before a plugin runs: configuration, manifests, trust, resolution.
// `gantry check` prints a plan, `gantry run` carries it out, SIGHUP compares two.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/layers.hpp"
#include "plugin/manifest.hpp"
#include "plugin/resolver.hpp"

namespace gantry::plugin {

struct PlanOptions {
  config::LayerOptions layers;
  std::filesystem::path vendor_dir;  ///< the installation's plugins
  uid_t user = 0;                    ///< whose files are trusted besides root's
  bool safe_mode = false;            ///< only vendor plugins, with their defaults
  Version host_version;
};

/// One plugin that the configuration lists.
struct PlannedPlugin {
  std::string name;
  bool enabled = true;
  std::shared_ptr<const Manifest> manifest;  ///< when one was found and is correct
  std::string refused;  ///< why it will not be opened; "" when it will, or is just not enabled
};

struct Plan {
  config::Layers layers;
  config::Settings settings;           ///< complete; secrets in clear
  std::vector<PlannedPlugin> plugins;  ///< in the order of the configuration
  /// Every correct manifest in the plugin folders.
  std::vector<std::shared_ptr<const Manifest>> installed;
  Resolution resolution;
  bool safe_mode = false;

  const PlannedPlugin* find(std::string_view name) const;
};

/// Nullopt when the configuration itself is wrong: then nothing may start, and the findings name
/// the plugins that would be refused besides. What concerns one plugin only (missing, not trusted,
/// no provider) is that plugin's `refused`.
std::optional<Plan> make_plan(const PlanOptions& options, config::Diagnostics& diagnostics);

/// Plugins that will not be opened become errors of their entries in the configuration.
void report_refusals(const Plan& plan, config::Diagnostics& diagnostics);

/// Leaves only the plugins of which `wanted` says true, and resolves again.
void narrow(Plan& plan, const std::function<bool(const PlannedPlugin&)>& wanted);

}  // namespace gantry::plugin
