// SPDX-License-Identifier: Apache-2.0
#include "directory.hpp"

#include "decode.hpp"

#include <algorithm>
#include <set>

namespace gantry::atspi {
namespace {

constexpr milliseconds kFirstProbe{1000};
constexpr milliseconds kLastProbe{15000};
// A stopped process may be continued hours later; the ping waits for it without costing anything.
constexpr milliseconds kPing{30 * 60 * 1000};

Call bus_call(const char* member, std::function<void(const CallResult&)> done) {
  Call call;
  call.destination = "org.freedesktop.DBus";
  call.path = "/org/freedesktop/DBus";
  call.interface = "org.freedesktop.DBus";
  call.member = member;
  call.done = std::move(done);
  return call;
}

}  // namespace

Task<Result<bool>> Directory::refresh(std::shared_ptr<Bus> bus, TimePoint deadline, bool force) {
  if (!dirty_ && !force) co_return true;
  dirty_ = false;
  std::set<std::string> registered;
  std::set<std::string> present;
  std::string refused;
  Call children;
  children.destination = "org.a11y.atspi.Registry";
  children.path = "/org/a11y/atspi/accessible/root";
  children.interface = "org.a11y.atspi.Accessible";
  children.member = "GetChildren";
  children.done = [&](const CallResult& answer) {
    if (answer.failure != CallFailure::kNone) {
      refused = answer.error;
    } else if (auto refs = decode_refs(answer.reply)) {
      for (const ObjectRef& ref : *refs) registered.insert(ref.bus);
    }
  };
  std::vector<Call> calls;
  calls.push_back(std::move(children));
  calls.push_back(bus_call("ListNames", [&](const CallResult& answer) {
    if (answer.failure != CallFailure::kNone) return;
    if (auto names = decode_strings(answer.reply)) present.insert(names->begin(), names->end());
  }));
  BatchLimits limits;
  limits.deadline = deadline;
  limits.per_call = config_.call_timeout;
  co_await bus->run(std::move(calls), limits);
  if (!refused.empty() || present.empty()) {
    dirty_ = true;
    co_return unavailable("the accessibility registry did not list its applications: " + refused,
                          "restart at-spi2-registryd");
  }
  const std::string own = bus->unique_name();
  for (const std::string& name : present) {
    if (!name.starts_with(':') || name == own) continue;
    AppPtr& app = apps_[name];
    if (!app) {
      app = std::make_shared<App>(name);
      app->first_seen = Clock::now();
    }
    app->registered = registered.contains(name);
  }
  std::erase_if(apps_, [&](const auto& entry) {
    const bool gone = !present.contains(entry.first);
    entry.second->gone |= gone;
    return gone;
  });
  co_return co_await read_pids(std::move(bus), deadline);
}

Task<Result<bool>> Directory::read_pids(std::shared_ptr<Bus> bus, TimePoint deadline) {
  std::vector<Call> calls;
  for (const auto& [name, app] : apps_) {
    if (app->pid != 0) continue;
    Call call = bus_call("GetConnectionUnixProcessID", [app = app](const CallResult& answer) {
      if (answer.failure != CallFailure::kNone) return;
      if (auto pid = decode_u32(answer.reply)) app->pid = *pid;
    });
    call.fill = [name = name](sd_bus_message* m) {
      return sd_bus_message_append(m, "s", name.c_str());
    };
    calls.push_back(std::move(call));
  }
  BatchLimits limits;
  limits.deadline = deadline;
  limits.per_call = config_.call_timeout;
  const BatchOutcome outcome = co_await bus->run(std::move(calls), limits);
  if (!outcome.complete()) dirty_ = true;
  if (outcome.disconnected) co_return unavailable("the accessibility bus went away");
  co_return true;
}

std::vector<AppPtr> Directory::of_process(std::uint32_t pid) const {
  const auto& excluded = config_.excluded_pids;
  std::vector<AppPtr> found;
  for (const auto& [name, app] : apps_) {
    if (std::find(excluded.begin(), excluded.end(), app->pid) != excluded.end()) continue;
    if (pid == 0 ? app->registered : app->pid == pid) found.push_back(app);
  }
  std::stable_sort(found.begin(), found.end(), [](const AppPtr& a, const AppPtr& b) {
    return a->registered && !b->registered;
  });
  return found;
}

AppPtr Directory::find(const std::string& bus_name) const {
  const auto found = apps_.find(bus_name);
  return found == apps_.end() ? nullptr : found->second;
}

void Directory::quarantine(std::shared_ptr<Bus> bus, const AppPtr& app) {
  app->hung = true;
  app->probe_after = Clock::now() + app->probe_back_off;
  app->probe_back_off = std::min(app->probe_back_off * 2, kLastProbe);
  if (app->ping_out) return;
  app->ping_out = true;
  Call ping;
  ping.destination = app->model.bus_name();
  ping.path = "/org/a11y/atspi/accessible/root";
  ping.interface = "org.freedesktop.DBus.Peer";
  ping.member = "Ping";
  ping.done = [app](const CallResult& answer) {
    app->ping_out = false;
    // An error is an answer too: whoever refuses a ping is awake.
    if (answer.failure == CallFailure::kNone || answer.failure == CallFailure::kUnknownMethod ||
        answer.failure == CallFailure::kRefused) {
      absolve(*app);
    }
  };
  std::vector<Call> calls;
  calls.push_back(std::move(ping));
  BatchLimits limits;
  limits.deadline = Clock::now() + kPing;
  limits.per_call = kPing;
  start<BatchOutcome>(bus->run(std::move(calls), limits), [bus](BatchOutcome) {});
}

void Directory::absolve(App& app) {
  app.hung = false;
  app.probe_back_off = kFirstProbe;
}

void Directory::on_name_owner_changed(const std::string& name, const std::string& new_owner) {
  if (!name.starts_with(':')) return;
  if (!new_owner.empty()) {
    dirty_ = true;
    return;
  }
  const auto found = apps_.find(name);
  if (found == apps_.end()) return;
  found->second->gone = true;
  apps_.erase(found);
}

void Directory::reset() {
  for (auto& [name, app] : apps_) app->gone = true;
  apps_.clear();
  dirty_ = true;
}

void Directory::evict() {
  for (;;) {
    std::size_t total = 0;
    AppPtr oldest;
    for (const auto& [name, app] : apps_) {
      total += app->model.size();
      const bool spare = app->model.size() > 1 && !app->turn.busy();
      if (spare && (!oldest || app->last_used < oldest->last_used)) oldest = app;
    }
    if (total <= config_.max_cached_nodes || !oldest) return;
    // A fresh App under the same name: tasks that still hold the old one finish with it.
    auto fresh = std::make_shared<App>(oldest->model.bus_name());
    fresh->pid = oldest->pid;
    fresh->registered = oldest->registered;
    fresh->first_seen = oldest->first_seen;
    apps_[oldest->model.bus_name()] = std::move(fresh);
  }
}

}  // namespace gantry::atspi
