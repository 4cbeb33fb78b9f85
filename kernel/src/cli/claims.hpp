// SPDX-License-Identifier: Apache-2.0
// What the plugins of a plan claim of listeners: their manifests' `mounts:` with the configuration
// laid over them, folders, and what is set for a listener by its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/plan.hpp"

namespace gantry::cli {

/// The text at a dotted key, or "".
std::string text_of(const config::Value& map, std::string_view key);

bool will_open(const plugin::PlannedPlugin& planned);

/// plugins.NAME.config.listeners.LISTENER: what a plugin that opens listeners is told of one.
struct ListenerSettings {
  const config::Value* value = nullptr;  ///< null when nothing is set for it
  std::string path;

  std::string address() const;
};

ListenerSettings listener_settings(const plugin::Plan& plan, std::string_view listener);

/// What the plugin will mount: the claims of its manifest with the keys that they name laid over.
std::vector<plugin::MountClaim> claims_of(const plugin::PlannedPlugin& planned,
                                          const plugin::Plan& plan);

/// plugins.NAME.config.mounts.PLUGIN: the prefix and the host that a plugin that opens listeners
/// puts another's routes under; both may be "".
struct Place {
  std::string prefix;
  std::string host;
};

Place place_of(const plugin::Plan& plan, std::string_view plugin);

/// Folders that a plugin serves by configuration: entries of a list `static`, with `listener` and
/// `prefix`.
std::vector<config::Value> folders_of(const config::PluginSettings& settings);

/// The names of the listeners that open plugins mount on or serve folders on, sorted, once each.
std::vector<std::string> used_listeners(const plugin::Plan& plan);

}  // namespace gantry::cli
