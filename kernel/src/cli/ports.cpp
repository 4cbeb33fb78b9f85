// SPDX-License-Identifier: Apache-2.0
#include "cli/ports.hpp"

#include <Poco/Net/IPAddress.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace gantry::cli {
namespace {

std::string text(const config::Value& map, std::string_view key) {
  const auto* value = map.find(key);
  return value == nullptr ? std::string{} : value->as_text();
}

bool names_port(std::string_view key) { return key == "port" || key.ends_with("_port"); }

void add_port(const config::Value& map, const config::Value& port, WantedPort wanted,
              std::vector<WantedPort>& out) {
  wanted.listener = text(map, "listener");
  wanted.host = text(map, "host").empty() ? text(map, "bind") : text(map, "host");
  wanted.port = static_cast<int>(port.as_int());
  out.push_back(std::move(wanted));
}

// "127.0.0.1:8080" or "[::1]:8080"; anything else (a socket's path, nothing) has no port.
void add_address(const std::string& address, WantedPort wanted, std::vector<WantedPort>& out) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || address.find('/') != std::string::npos) return;
  const char* end = address.data() + address.size();
  const auto [at, error] = std::from_chars(address.data() + colon + 1, end, wanted.port);
  if (error != std::errc{} || at != end || wanted.port <= 0) return;
  wanted.host = address.substr(0, colon);
  out.push_back(std::move(wanted));
}

void collect(const config::Value& map, const std::string& plugin, const std::string& path,
             std::vector<WantedPort>& out) {
  for (const auto& entry : map.as_map()) {
    WantedPort wanted;
    wanted.plugin = plugin;
    wanted.path = config::join_path(path, entry.key);
    wanted.origin = entry.value.origin;
    if (entry.value.is_map()) {
      collect(entry.value, plugin, wanted.path, out);
    } else if (names_port(entry.key) && entry.value.as_int() > 0) {
      add_port(map, entry.value, std::move(wanted), out);
    } else if (entry.key == "address") {
      add_address(entry.value.as_text(), std::move(wanted), out);
    }
  }
}

// 0.0.0.0 and :: take the port on every address; an empty host is whatever the plugin prefers.
bool every_address(std::string_view host) {
  return host.empty() || host == "0.0.0.0" || host == "::" || host == "[::]" || host == "*";
}

bool share_address(std::string_view one, std::string_view two) {
  return one == two || every_address(one) || every_address(two);
}

bool will_open(const plugin::PlannedPlugin& planned) {
  return planned.enabled && planned.refused.empty() && planned.manifest;
}

// One route as it will be, in the form in which equal ones are equal.
struct WantedRoute {
  std::string plugin;
  std::string listener;
  std::string host;
  std::string path;     // as written, with its prefix
  std::string pattern;  // parameter names left out
  config::Origin origin;
  bool configured = false;  // by an entry of the configuration, not by the plugin's own routes
};

std::string without_names(const std::string& path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == '{') inside = true;
    if (c == '{' || !inside) out += c;
    if (c == '}') {
      if (inside) out += c;
      inside = false;
    }
  }
  return out;
}

// Folders that a plugin serves by configuration: entries of a list `static`, with `listener` and
// `prefix`.
const config::Value* folders_of(const config::PluginSettings& settings) {
  const auto* folders = settings.config.find("static");
  return folders != nullptr && folders->is_list() ? folders : nullptr;
}

void add_folders(const config::PluginSettings& settings, std::vector<WantedRoute>& out) {
  const auto* folders = folders_of(settings);
  if (folders == nullptr) return;
  for (const auto& folder : folders->as_list()) {
    WantedRoute route;
    route.plugin = settings.name;
    route.listener = text(folder, "listener");
    route.path = text(folder, "prefix");
    route.path += route.path.ends_with('/') ? "*" : "/*";
    route.pattern = route.path;
    route.origin = folder.origin;
    route.configured = true;
    out.push_back(std::move(route));
  }
}

std::vector<WantedRoute> wanted_routes(const plugin::Plan& plan) {
  std::vector<WantedRoute> out;
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    const auto* settings = plan.settings.find(planned.name);
    for (const auto& claim : planned.manifest->mounts) {
      for (const auto& path : claim.paths) {
        WantedRoute route;
        route.plugin = planned.name;
        route.listener = claim.listener;
        route.host = text(settings->config, claim.host_key);
        route.path = text(settings->config, claim.prefix_key) + path;
        route.pattern = without_names(route.path);
        route.origin = settings->origin;
        out.push_back(std::move(route));
      }
    }
    add_folders(*settings, out);
  }
  return out;
}

// True for an address that machines other than this one reach; what is no numeric address is
// refused when the listener opens.
bool is_exposed(std::string host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host == "::") return true;  // which Poco's parser refuses
  Poco::Net::IPAddress address;
  return Poco::Net::IPAddress::tryParse(host, address) && !address.isLoopback();
}

bool has_token(const config::Value& map) {
  return std::any_of(map.as_map().begin(), map.as_map().end(), [](const auto& entry) {
    return entry.value.secret && entry.key.ends_with("token") && !entry.value.as_text().empty();
  });
}

// What a plugin that opens listeners is told of one by its name: plugins.NAME.config.listeners.L.
struct ListenerSettings {
  const config::Value* value = nullptr;
  std::string path;
};

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

void check_exposure_of(const config::PluginSettings& settings, const std::string& listener,
                       const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  const ListenerSettings own = listener_settings(plan, listener);
  if (has_token(settings.config) || (own.value != nullptr && has_token(*own.value))) return;
  WantedPort wanted;
  const std::string key = text(settings.config, "host").empty() ? "bind" : "host";
  wanted.host = text(settings.config, key);
  wanted.path = "plugins." + settings.name + ".config." + key;
  if (const auto* host = settings.config.find(key)) wanted.origin = host->origin;
  const std::string address = own.value == nullptr ? std::string{} : text(*own.value, "address");
  if (!address.empty()) {
    wanted.host = address.substr(0, address.rfind(':'));  // "unix" of a socket's path is no address
    wanted.path = own.path + ".address";
    wanted.origin = own.value->find("address")->origin;
  }
  if (!is_exposed(wanted.host)) return;
  diagnostics.error(wanted.origin, wanted.path,
                    wanted.host + " can be reached from other machines, and the listener " +
                        listener +
                        " has no authentication; set a token of the plugin or of the listener, or "
                        "use 127.0.0.1");
}

}  // namespace

std::vector<WantedPort> wanted_ports(const plugin::Plan& plan) {
  std::vector<WantedPort> out;
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
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
      if (one.port != two.port || !share_address(one.host, two.host) || shared) continue;
      diagnostics.error(two.origin, two.path,
                        "port " + std::to_string(two.port) + " is also wanted by " + one.path +
                            "; give one of them another port, or both the same listener");
    }
  }
}

void check_mounts(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  const auto routes = wanted_routes(plan);
  for (std::size_t i = 0; i < routes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& one = routes[j];
      const auto& two = routes[i];
      const bool two_owners = one.plugin != two.plugin || one.configured || two.configured;
      const bool same = two_owners && one.listener == two.listener && one.host == two.host &&
                        one.pattern == two.pattern;
      if (!same) continue;
      diagnostics.error(two.origin, "plugins." + two.plugin,
                        "mounts " + two.path + " on the listener " + two.listener +
                            ", where plugin " + one.plugin + " mounts " + one.path +
                            "; give one of them a prefix, a host name or a listener of its own");
    }
  }
}

void check_exposure(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    const auto& settings = *plan.settings.find(planned.name);
    std::set<std::string> listeners;
    for (const auto& claim : planned.manifest->mounts) listeners.insert(claim.listener);
    if (const auto* folders = folders_of(settings)) {
      for (const auto& folder : folders->as_list()) listeners.insert(text(folder, "listener"));
    }
    for (const auto& listener : listeners) {
      check_exposure_of(settings, listener, plan, diagnostics);
    }
  }
}

void check_listeners(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  std::vector<std::string> used;
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    for (const auto& claim : planned.manifest->mounts) used.push_back(claim.listener);
    const auto* folders = folders_of(*plan.settings.find(planned.name));
    if (folders == nullptr) continue;
    for (const auto& folder : folders->as_list()) used.push_back(text(folder, "listener"));
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    const auto* settings = plan.settings.find(planned.name);
    const auto* listeners = settings->config.find("listeners");
    if (listeners == nullptr || !listeners->is_map()) continue;
    for (const auto& entry : listeners->as_map()) {
      if (std::binary_search(used.begin(), used.end(), entry.key)) continue;
      diagnostics.warning(
          entry.value.origin, "plugins." + planned.name + ".config.listeners." + entry.key,
          "no enabled plugin says that it uses this listener, so nothing of this "
          "may be in force; used are: " +
              config::join(used, ", ") + "." + config::did_you_mean(entry.key, used));
    }
  }
}

}  // namespace gantry::cli
