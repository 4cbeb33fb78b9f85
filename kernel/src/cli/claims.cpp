// SPDX-License-Identifier: Apache-2.0
#include "cli/claims.hpp"

#include <algorithm>
#include <utility>

namespace gantry::cli {

std::string text_of(const config::Value& map, std::string_view key) {
  const auto* value = key.empty() ? nullptr : map.find_path(key);
  return value == nullptr ? std::string{} : value->as_text();
}

bool will_open(const plugin::PlannedPlugin& planned) {
  return planned.enabled && planned.refused.empty() && planned.manifest;
}

std::string ListenerSettings::address() const {
  return value == nullptr ? std::string{} : text_of(*value, "address");
}

ListenerSettings listener_settings(const plugin::Plan& plan, std::string_view listener) {
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    const auto* listeners = plan.settings.find(planned.name)->config.find("listeners");
    const auto* own = listeners == nullptr ? nullptr : listeners->find(listener);
    if (own == nullptr) continue;
    return {own, config::join_path("plugins." + planned.name + ".config.listeners", listener)};
  }
  return {};
}

Place place_of(const plugin::Plan& plan, std::string_view plugin) {
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    const auto* mounts = plan.settings.find(planned.name)->config.find("mounts");
    const auto* place = mounts == nullptr ? nullptr : mounts->find(plugin);
    if (place != nullptr) return {text_of(*place, "prefix"), text_of(*place, "host")};
  }
  return {};
}

std::vector<plugin::MountClaim> claims_of(const plugin::PlannedPlugin& planned,
                                          const plugin::Plan& plan) {
  const auto& config = plan.settings.find(planned.name)->config;
  std::vector<plugin::MountClaim> out;
  for (auto claim : planned.manifest->mounts) {
    const auto* enabled = claim.enabled_key.empty() ? nullptr : config.find_path(claim.enabled_key);
    if (enabled != nullptr && !enabled->as_bool()) continue;
    const std::string listener = text_of(config, claim.listener_key);
    if (!listener.empty()) claim.listener = listener;
    const std::string path = text_of(config, claim.path_key);
    if (!path.empty()) claim.paths.push_back(path);
    out.push_back(std::move(claim));
  }
  return out;
}

std::vector<config::Value> folders_of(const config::PluginSettings& settings) {
  const auto* folders = settings.config.find("static");
  return folders != nullptr && folders->is_list() ? folders->as_list()
                                                  : std::vector<config::Value>{};
}

std::vector<std::string> used_listeners(const plugin::Plan& plan) {
  std::vector<std::string> used;
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    for (const auto& claim : claims_of(planned, plan)) used.push_back(claim.listener);
    for (const auto& folder : folders_of(*plan.settings.find(planned.name))) {
      used.push_back(text_of(folder, "listener"));
    }
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

}  // namespace gantry::cli
