// SPDX-License-Identifier: Apache-2.0
// Stopping and reloading.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "plugin/manager.hpp"

namespace gantry::plugin {

using observe::LogLevel;

struct PluginManager::Decision {
  std::vector<config::Change> changes;
  std::set<std::string> stop;  // includes what restarts
  std::set<std::string> live;  // reconfigured in place
};

std::vector<const Manifest*> PluginManager::running_manifests() const {
  std::vector<const Manifest*> out;
  for (const auto& [name, record] : records_) {
    const bool counts = record.instance || record.status.state == State::kLazy;
    if (counts && record.manifest) out.push_back(record.manifest.get());
  }
  return out;
}

void PluginManager::stop_one(Record& record, Steady::time_point deadline, State state,
                             std::string reason) {
  if (!record.instance) return;
  const std::string& name = record.status.name;
  const bool opening = std::exchange(record.step, 0) != 0;
  record.asked_again = false;
  const std::string left = record.instance->stop(deadline, reason);
  record.instance.reset();
  std::erase(start_order_, name);
  observers_.health.forget(name);
  if (!left.empty()) {
    if (!reason.empty()) reason += "; ";
    reason += left;
    observers_.log.write(log_source_, LogLevel::kError, "plugin left behind",
                         {{"name", name}, {"reason", left}});
  }
  set_state(record, state, std::move(reason));
  if (opening)
    tell_opened(name, record.status.reason.empty() ? "it was stopped" : record.status.reason);
}

void PluginManager::take_down_dependents(const std::string& name, const std::string& reason) {
  auto names = dependents_of(name, running_manifests());
  std::reverse(names.begin(), names.end());
  const std::string why = "needs " + name + ", which " + reason;
  for (const auto& dependent : names) {
    Record& record = records_.at(dependent);
    stop_one(record, Steady::now() + std::chrono::seconds(1), State::kWaiting, why);
  }
}

std::vector<std::string> PluginManager::stop(Steady::time_point deadline) {
  stopping_ = true;
  std::vector<std::string> left_behind;
  auto order = start_order_;
  for (const auto& [name, record] : records_) {
    if (record.step != 0) order.push_back(name);  // still being opened
  }
  for (auto name = order.rbegin(); name != order.rend(); ++name) {
    Record& record = records_.at(*name);
    // One that hangs may use up half of what is left, never the time of all others.
    const auto now = Steady::now();
    const auto left = std::max(deadline - now, Steady::duration::zero());
    const bool last = std::next(name) == order.rend();
    stop_one(record, now + (last ? left : left / 2), State::kStopped, "");
    if (!record.status.reason.empty()) left_behind.push_back(*name);
  }
  return left_behind;
}

/// The changed keys of one that does not run: it has them when it starts.
void PluginManager::note_changes(const std::string& name, const PlannedPlugin* planned,
                                 const Plan& next, std::vector<config::Change>& changes) const {
  const auto* before = plan_.settings.find(name);
  const auto* after = next.settings.find(name);
  if (planned == nullptr || !planned->manifest || before == nullptr || after == nullptr) return;
  if (!before->enabled || !after->enabled) return;  // one of them has no keys, not even defaults
  auto found = config::diff(name, planned->manifest->config, before->config, after->config);
  std::move(found.begin(), found.end(), std::back_inserter(changes));
}

PluginManager::Decision PluginManager::decide(const Plan& next) const {
  Decision decision;
  for (const auto& [name, record] : records_) {
    const PlannedPlugin* planned = next.find(name);
    if (!record.instance) {
      note_changes(name, planned, next, decision.changes);
      continue;
    }
    const bool goes = planned == nullptr || !planned->enabled || !planned->refused.empty();
    const auto* before = plan_.settings.find(name);
    const auto* after = next.settings.find(name);
    if (goes || before == nullptr || after == nullptr) {
      decision.stop.insert(name);
      continue;
    }
    const bool moved = planned->manifest->dir != record.manifest->dir ||
                       planned->manifest->version != record.manifest->version;
    if (moved) decision.stop.insert(name);
    for (auto& change :
         config::diff(name, planned->manifest->config, before->config, after->config)) {
      (change.reload == config::Reload::kLive ? decision.live : decision.stop).insert(name);
      decision.changes.push_back(std::move(change));
    }
  }
  // One that is being opened cannot be told: it begins anew at the next call.
  std::erase_if(decision.live, [&](const std::string& name) {
    const bool opening = records_.at(name).step != 0;
    if (opening) decision.stop.insert(name);
    return opening;
  });
  const auto manifests = running_manifests();
  for (const auto& name : std::set<std::string>(decision.stop)) {
    for (auto& dependent : dependents_of(name, manifests)) {
      if (records_.at(dependent).instance) decision.stop.insert(std::move(dependent));
    }
  }
  return decision;
}

void PluginManager::apply_live(const Decision& decision) {
  for (const auto& name : decision.live) {
    Record& record = records_.at(name);
    if (!record.instance || decision.stop.count(name) > 0) continue;
    const auto result = record.instance->reconfigure(record.config_json, setting("start_timeout"));
    if (result.ok()) {
      observers_.log.write(log_source_, LogLevel::kInfo, "plugin reconfigured", {{"name", name}});
      continue;
    }
    const std::string reason = "did not take its new configuration: " + result.error().message;
    take_down_dependents(name, reason);
    stop_one(record, Steady::now() + std::chrono::seconds(1), State::kFailed, "");
    fail(record, reason, true);
  }
}

Reloaded PluginManager::reload(Plan next) {
  Decision decision = decide(next);
  const auto runs = [this](const std::string& name) {
    const auto at = records_.find(name);
    return at != records_.end() && at->second.instance;
  };
  std::set<std::string> before;
  for (const auto& [name, record] : records_) {
    if (record.instance) before.insert(name);
  }
  auto order = start_order_;
  for (const auto& [name, record] : records_) {
    if (record.step != 0) order.push_back(name);
  }
  for (auto name = order.rbegin(); name != order.rend(); ++name) {
    if (decision.stop.count(*name) == 0) continue;
    stop_one(records_.at(*name), Steady::now() + std::chrono::seconds(2), State::kStopped,
             "the configuration changed");
    observers_.log.write(log_source_, LogLevel::kInfo, "plugin stopped", {{"name", *name}});
  }
  adopt(std::move(next));
  apply_live(decision);
  for (const auto& [name, record] : records_) show_health(record);
  Reloaded done{std::move(decision.changes), 0, 0};
  for (const auto& name : before) done.stopped += runs(name) ? 0U : 1U;
  for (const auto& name : plan_.resolution.order) {
    const bool ran = runs(name);
    start_one(name);
    done.started += !ran && runs(name) ? 1U : 0U;
  }
  return done;
}

}  // namespace gantry::plugin
