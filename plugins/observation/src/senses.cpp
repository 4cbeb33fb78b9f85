// SPDX-License-Identifier: Apache-2.0
#include "senses.hpp"

#include <fmt/format.h>
#include <gantry/contracts/ocr.hpp>
#include <gantry/contracts/vision.hpp>
#include <gantry/cure.hpp>

#include <algorithm>
#include <utility>

namespace gantry::observation {
namespace {

ObserverSense sense(bool enabled, const Provider& provider, std::string_view key,
                    std::string_view contract) {
  if (!enabled) {
    return {false, fmt::format("{} is false in the configuration", key),
            fmt::format("set {}: true", key)};
  }
  if (provider.served) return {true, {}, {}};
  if (!provider.refusal.reason.empty()) return provider.refusal;
  return {false, fmt::format("no plugin of this installation serves {}", contract),
          fmt::format("install and enable a plugin that provides {}", contract)};
}

}  // namespace

ObserverSense ocr_sense(const Settings& settings, const Provider& provider) {
  return sense(settings.ocr.enabled, provider, "ocr.enabled", OcrRead::kName);
}

bool serves(const PluginInfoList& plugins, std::string_view contract) {
  return std::any_of(plugins.plugins.begin(), plugins.plugins.end(), [&](const PluginInfo& plugin) {
    const bool alive = plugin.state == "running" || plugin.state == "lazy";
    return alive && plugin.suitability != 0 &&
           std::find(plugin.provides.begin(), plugin.provides.end(), contract) !=
               plugin.provides.end();
  });
}

ObserverSense refusal_of(const PluginInfoList& plugins, std::string_view contract) {
  const auto refuses = [&](const PluginInfo& plugin) {
    return plugin.state == "running" && plugin.suitability == 0 &&
           std::find(plugin.provides.begin(), plugin.provides.end(), contract) !=
               plugin.provides.end();
  };
  const auto found = std::find_if(plugins.plugins.begin(), plugins.plugins.end(), refuses);
  if (found == plugins.plugins.end()) return {};
  auto [reason, cure] = split_cure(found->suitability_reason);
  return {false, std::move(reason), std::move(cure)};
}

ObserverSense vlm_sense(const Settings& settings, const Provider& provider) {
  return sense(settings.vlm.enabled, provider, "vlm.enabled", VisionDescribe::kName);
}

Provider provider_of(const PluginInfoList& plugins, std::string_view contract) {
  return {serves(plugins, contract), refusal_of(plugins, contract)};
}

std::string unavailable_section(std::string_view name, const ObserverSense& sense) {
  return fmt::format("[{} unavailable: {}. To have it: {}]", name, sense.reason, sense.cure);
}

}  // namespace gantry::observation
