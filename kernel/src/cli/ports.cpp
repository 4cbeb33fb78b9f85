// SPDX-License-Identifier: Apache-2.0
#include "cli/ports.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "cli/claims.hpp"

namespace gantry::cli {
namespace {

bool names_port(std::string_view key) { return key == "port" || key.ends_with("_port"); }

void add_port(const config::Value& map, const config::Value& port, WantedPort wanted,
              std::vector<WantedPort>& out) {
  wanted.host = text_of(map, "host").empty() ? text_of(map, "bind") : text_of(map, "host");
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
    wanted.listener = text_of(map, "listener");
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

// The listener that a port is for: the `listener` key beside it, else the one that the plugin
// mounts on, when there is one only.
std::string listener_of(const WantedPort& wanted, const plugin::PlannedPlugin& planned,
                        const plugin::Plan& plan) {
  if (!wanted.listener.empty()) return wanted.listener;
  std::set<std::string> listeners;
  for (const auto& claim : claims_of(planned, plan)) listeners.insert(claim.listener);
  return listeners.size() == 1 ? *listeners.begin() : std::string{};
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

void add_folders(const config::PluginSettings& settings, std::vector<WantedRoute>& out) {
  for (const auto& folder : folders_of(settings)) {
    WantedRoute route;
    route.plugin = settings.name;
    route.listener = text_of(folder, "listener");
    route.path = text_of(folder, "prefix");
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
    const Place place = place_of(plan, planned.name);
    for (const auto& claim : claims_of(planned, plan)) {
      for (const auto& path : claim.paths) {
        WantedRoute route;
        route.plugin = planned.name;
        route.listener = claim.listener;
        route.host = place.host.empty() ? text_of(settings->config, claim.host_key) : place.host;
        route.path = place.prefix + text_of(settings->config, claim.prefix_key) + path;
        route.pattern = without_names(route.path);
        route.origin = settings->origin;
        out.push_back(std::move(route));
      }
    }
    add_folders(*settings, out);
  }
  return out;
}

}  // namespace

std::vector<WantedPort> wanted_ports(const plugin::Plan& plan) {
  std::vector<WantedPort> out;
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    const auto* settings = plan.settings.find(planned.name);
    std::vector<WantedPort> own;
    collect(settings->config, planned.name, "plugins." + planned.name + ".config", own);
    for (auto& wanted : own) {
      // What is set for the listener by its name wins over what its plugin asks for.
      const auto set = listener_settings(plan, listener_of(wanted, planned, plan));
      if (!set.address().empty() && wanted.path != set.path + ".address") continue;
      out.push_back(std::move(wanted));
    }
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

void check_shared(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  const auto ports = wanted_ports(plan);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto& two = ports[i];
    const auto one = std::find_if(ports.begin(), ports.begin() + static_cast<std::ptrdiff_t>(i),
                                  [&](const auto& port) { return port.listener == two.listener; });
    const bool first = one == ports.begin() + static_cast<std::ptrdiff_t>(i);
    if (two.listener.empty() || first || (one->port == two.port && one->host == two.host)) continue;
    diagnostics.warning(
        two.origin, two.path,
        "found " + two.host + ":" + std::to_string(two.port) + ", but " + one->path +
            " asks for the same listener at " + one->host + ":" + std::to_string(one->port) +
            ", and whoever opens it first decides; make them equal, or set the address of the "
            "listener " +
            two.listener + " in the transport");
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

void check_listeners(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  const auto used = used_listeners(plan);
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
