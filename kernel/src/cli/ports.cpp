// SPDX-License-Identifier: Apache-2.0
#include "cli/ports.hpp"

namespace gantry::cli {
namespace {

std::string text(const config::Value& map, std::string_view key) {
  const auto* value = map.find(key);
  return value == nullptr ? std::string{} : value->as_text();
}

bool names_port(std::string_view key) { return key == "port" || key.ends_with("_port"); }

void collect(const config::Value& map, const std::string& plugin, const std::string& path,
             std::vector<WantedPort>& out) {
  for (const auto& entry : map.as_map()) {
    const std::string at = config::join_path(path, entry.key);
    if (entry.value.is_map()) {
      collect(entry.value, plugin, at, out);
    } else if (names_port(entry.key) && entry.value.as_int() > 0) {
      WantedPort wanted;
      wanted.plugin = plugin;
      wanted.path = at;
      wanted.listener = text(map, "listener");
      wanted.host = text(map, "host").empty() ? text(map, "bind") : text(map, "host");
      wanted.port = static_cast<int>(entry.value.as_int());
      wanted.origin = entry.value.origin;
      out.push_back(std::move(wanted));
    }
  }
}

}  // namespace

std::vector<WantedPort> wanted_ports(const plugin::Plan& plan) {
  std::vector<WantedPort> out;
  for (const auto& planned : plan.plugins) {
    if (!planned.enabled || !planned.refused.empty()) continue;
    const auto* settings = plan.settings.find(planned.name);
    collect(settings->config, planned.name, "plugins." + planned.name + ".config", out);
  }
  return out;
}

void check_ports(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  const auto ports = wanted_ports(plan);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& one = ports[j];
      const auto& two = ports[i];
      const bool shared = !one.listener.empty() && one.listener == two.listener;
      if (one.port != two.port || one.host != two.host || shared) continue;
      diagnostics.error(two.origin, two.path,
                        "port " + std::to_string(two.port) + " is also wanted by " + one.path +
                            "; give one of them another port, or both the same listener");
    }
  }
}

}  // namespace gantry::cli
