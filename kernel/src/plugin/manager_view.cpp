// SPDX-License-Identifier: Apache-2.0
// What is known of plugins and of who serves a contract.
#include <algorithm>

#include "plugin/manager.hpp"

namespace gantry::plugin {
namespace {

bool holds(const std::vector<std::string>& contracts, std::string_view contract) {
  return std::find(contracts.begin(), contracts.end(), contract) != contracts.end();
}

}  // namespace

std::vector<PluginStatus> PluginManager::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<PluginStatus> out;
  out.reserve(records_.size());
  for (const auto& [name, record] : records_) out.push_back(record.status);
  return out;
}

std::string PluginManager::lazy_provider(std::string_view contract, std::string_view target) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, record] : records_) {
    if (record.status.state != State::kLazy || (!target.empty() && name != target)) continue;
    if (holds(record.status.provides, contract)) return name;
  }
  return {};
}

std::vector<std::string> PluginManager::known_providers(std::string_view contract) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, record] : records_) {
    const bool runs = record.status.state == State::kRunning;
    if (!runs && holds(record.status.provides, contract)) names.push_back(name);
  }
  for (const auto& [name, provides] : installed_) {
    if (holds(provides, contract)) names.push_back(name);
  }
  return names;
}

bool PluginManager::has_down(std::string_view contract) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(records_.begin(), records_.end(), [&](const auto& entry) {
    const PluginStatus& status = entry.second.status;
    return status.state != State::kDisabled && status.state != State::kRunning &&
           holds(status.provides, contract);
  });
}

std::string PluginManager::advice_for(std::string_view contract) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> known;
  for (const auto& [name, record] : records_) {
    known.insert(known.end(), record.status.provides.begin(), record.status.provides.end());
    if (!holds(record.status.provides, contract)) continue;
    return "plugin " + name + " is " + std::string(state_name(record.status.state)) +
           (record.status.reason.empty() ? "" : ": " + record.status.reason);
  }
  for (const auto& [name, provides] : installed_) {
    known.insert(known.end(), provides.begin(), provides.end());
    if (holds(provides, contract)) {
      return "plugin " + name + " is installed; add it under plugins: in the configuration";
    }
  }
  const std::string near = config::nearest(contract, known);
  return near.empty() ? std::string{} : "did you mean " + near + "?";
}

std::vector<std::string> PluginManager::contracts_of(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto at = records_.find(name);
  return at == records_.end() ? std::vector<std::string>{} : at->second.status.provides;
}

std::string PluginManager::missing_provider(const Record& record) const {
  for (const auto& wanted : record.manifest->requires_contracts) {
    if (wanted.name.starts_with("gantry.kernel.")) continue;
    std::string blame;
    bool served = false;
    for (const auto& [name, other] : records_) {
      if (!other.manifest || !other.manifest->serves(wanted)) continue;
      if (available(other.status.state) || &other == &record) served = true;
      blame = name + " is " + std::string(state_name(other.status.state)) +
              (other.status.reason.empty() ? "" : ": " + other.status.reason);
    }
    if (served) continue;
    return "requires " + wanted.to_string() + ", but " +
           (blame.empty() ? "no plugin serves it" : blame);
  }
  return {};
}

}  // namespace gantry::plugin
