// SPDX-License-Identifier: Apache-2.0
// Listeners that other machines reach, and who would answer there without asking who it is.
#include <Poco/Net/IPAddress.h>

#include <algorithm>
#include <map>

#include "cli/claims.hpp"
#include "cli/ports.hpp"

namespace gantry::cli {
namespace {

// One plugin on one listener.
struct Use {
  std::string plugin;
  bool token = false;    // which is asked for on the whole listener
  bool guarded = false;  // the plugin has a token of its own, or looks for itself
  std::string host;      // that the plugin asks for
  std::string host_path;
  config::Origin host_origin;
};

using Uses = std::map<std::string, std::vector<Use>>;  // by listener

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

// "true", "key=text" or "key!=text".
bool authenticates(const std::string& rule, const config::Value& config) {
  const std::size_t equals = rule.find('=');
  if (equals == std::string::npos) return rule == "true";
  const bool negated = equals > 0 && rule[equals - 1] == '!';
  const std::string found = text_of(config, rule.substr(0, equals - (negated ? 1 : 0)));
  return (found == rule.substr(equals + 1)) != negated;
}

// The map that holds the key: host, port and token of a listener stand beside its name.
std::string parent_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? std::string{} : key.substr(0, dot);
}

Use use_of(const config::PluginSettings& settings, const plugin::MountClaim& claim) {
  const std::string parent = parent_of(claim.listener_key);
  const auto* nested = parent.empty() ? nullptr : settings.config.find_path(parent);
  const config::Value& beside = nested == nullptr ? settings.config : *nested;
  const std::string key = text_of(beside, "host").empty() ? "bind" : "host";
  Use use;
  use.plugin = settings.name;
  const bool own_token = has_token(beside);
  use.token = own_token && claim.guards_listener;
  use.guarded = own_token || authenticates(claim.authenticates, settings.config);
  use.host = text_of(beside, key);
  use.host_path = "plugins." + settings.name + ".config." + config::join_path(parent, key);
  if (const auto* host = beside.find(key)) use.host_origin = host->origin;
  return use;
}

Uses uses_of(const plugin::Plan& plan) {
  Uses uses;
  for (const auto& planned : plan.plugins) {
    if (!will_open(planned)) continue;
    const auto& settings = *plan.settings.find(planned.name);
    for (const auto& claim : claims_of(planned, plan)) {
      uses[claim.listener].push_back(use_of(settings, claim));
    }
    for (const auto& folder : folders_of(settings)) {
      uses[text_of(folder, "listener")].push_back(use_of(settings, {}));
    }
  }
  return uses;
}

// Where the listener is reached from other machines, with the key that says so; else no host.
Use exposed_at(const std::vector<Use>& uses, const ListenerSettings& own) {
  Use at;
  const std::string address = own.address();
  if (!address.empty()) {
    at.host = address.substr(0, address.rfind(':'));  // "unix" of a socket's path is no address
    at.host_path = own.path + ".address";
    at.host_origin = own.value->find("address")->origin;
    return is_exposed(at.host) ? at : Use{};
  }
  const auto found =
      std::find_if(uses.begin(), uses.end(), [](const auto& use) { return is_exposed(use.host); });
  return found == uses.end() ? at : *found;
}

std::vector<std::string> unguarded(const std::vector<Use>& uses) {
  std::vector<std::string> names;
  for (const auto& use : uses) {
    const bool named = std::find(names.begin(), names.end(), use.plugin) != names.end();
    if (!use.guarded && !named) names.push_back(use.plugin);
  }
  return names;
}

// One listener that other machines reach.
struct Open {
  std::string listener;
  Use at;                            // with the key that says so
  std::vector<std::string> plugins;  // that nobody guards there
  bool all = false;                  // none of the listener's plugins is guarded
};

std::vector<Open> open_ones(const plugin::Plan& plan) {
  std::vector<Open> out;
  for (const auto& [listener, uses] : uses_of(plan)) {
    const auto own = listener_settings(plan, listener);
    Use at = exposed_at(uses, own);
    auto plugins = unguarded(uses);
    const bool token = (own.value != nullptr && has_token(*own.value)) ||
                       std::any_of(uses.begin(), uses.end(), [](auto& use) { return use.token; });
    if (at.host.empty() || plugins.empty() || token) continue;
    const bool all = std::none_of(uses.begin(), uses.end(), [](auto& use) { return use.guarded; });
    out.push_back({listener, std::move(at), std::move(plugins), all});
  }
  return out;
}

}  // namespace

void check_exposure(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  for (const auto& open : open_ones(plan)) {
    const std::string where = "the listener " + open.listener;
    diagnostics.error(open.at.host_origin, open.at.host_path,
                      open.at.host + " can be reached from other machines, and " +
                          (open.all ? where : config::join(open.plugins) + " on " + where) +
                          " has no authentication; set a token of the plugin or of the listener, "
                          "or use 127.0.0.1");
  }
}

std::vector<Exposed> exposed(const plugin::Plan& plan) {
  std::vector<Exposed> out;
  for (const auto& open : open_ones(plan)) {
    for (const auto& plugin : open.plugins) out.push_back({open.listener, open.at.host, plugin});
  }
  return out;
}

}  // namespace gantry::cli
