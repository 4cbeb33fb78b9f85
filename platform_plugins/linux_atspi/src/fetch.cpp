// SPDX-License-Identifier: Apache-2.0
#include "fetch.hpp"

#include "decode.hpp"
#include "fetch_call.hpp"

#include <algorithm>
#include <unordered_set>

namespace gantry::atspi {
namespace {

// Below this many objects without current properties they are asked one by one.
constexpr std::size_t kReloadFrom = 24;

std::size_t count_unread(const App& app, NodeIndex start) {
  std::size_t count = 0;
  for (const NodeIndex index : collect_order(app.model, start, app.model.capacity()).nodes) {
    count += app.model.at(index).is_fresh(kFreshProps) ? 0U : 1U;
  }
  return count;
}

}  // namespace

BatchLimits Fetch::limits(TimePoint deadline) const {
  BatchLimits limits;
  limits.deadline = deadline;
  limits.per_call = config_.call_timeout;
  limits.window = config_.window;
  return limits;
}

Stop Fetch::stop_of(App& app, const BatchOutcome& outcome) const {
  if (app.gone || outcome.disconnected) return Stop::kGone;
  if (outcome.peer_silent) return Stop::kHung;
  return outcome.deadline_hit ? Stop::kDeadline : Stop::kNone;
}

Task<Stop> Fetch::identify(App& app) {
  const ObjectRef root = app.model.at(AppModel::root()).object;
  const auto text = [&app](std::string App::*field) {
    return [&app, field](const CallResult& answer) {
      if (answer.failure != CallFailure::kNone) return;
      if (auto value = decode_variant_string(answer.reply)) app.*field = *value;
    };
  };
  std::vector<Call> calls;
  calls.push_back(
      property_call(root.bus, root.path, kApplication, "ToolkitName", text(&App::toolkit_name)));
  calls.push_back(
      property_call(root.bus, root.path, kApplication, "Version", text(&App::toolkit_version)));
  calls.push_back(property_call(root.bus, root.path, kAccessible, "Name", text(&App::name)));
  const BatchOutcome outcome =
      co_await bus_->run(std::move(calls), limits(Clock::now() + config_.call_timeout * 2));
  const Stop stop = stop_of(app, outcome);
  if (stop != Stop::kNone) co_return stop;
  app.toolkit = toolkit_of(app.toolkit_name, app.toolkit_version);
  app.identified = !app.toolkit_name.empty();
  co_return Stop::kNone;
}

Task<Stop> Fetch::get_items(App& app, TimePoint deadline, CallFailure& failure) {
  Result<std::vector<CacheItem>> items = std::vector<CacheItem>{};
  std::vector<Call> calls;
  calls.push_back(method({app.model.bus_name(), "/org/a11y/atspi/cache"}, "org.a11y.atspi.Cache",
                         "GetItems", [this, &items, &failure](const CallResult& answer) {
                           failure = answer.failure;
                           if (failure != CallFailure::kNone) return;
                           items = decode_cache_items(answer.reply, config_.max_cached_nodes);
                         }));
  // The whole tree in one answer takes as long as it takes; identify() has shown it is alive.
  BatchLimits whole = limits(deadline);
  whole.per_call = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
  const BatchOutcome outcome = co_await bus_->run(std::move(calls), whole);
  if (failure == CallFailure::kNone && outcome.complete() && items && !items->empty()) {
    app.model.load(*items);
    if (app.traits().lazy_cache) app.model.prune(*items);
  }
  co_return stop_of(app, outcome);
}

Task<Stop> Fetch::load_cache(App& app, TimePoint registered_at, TimePoint deadline) {
  if (app.loaded || !app.traits().cache_items || app.traits().lazy_cache) co_return Stop::kNone;
  // The bridge creates its cache when the registry tells it that somebody listens; that takes
  // until the application's main loop comes round.
  const TimePoint patience = std::max(registered_at, app.first_seen) + config_.cache_wait;
  milliseconds pause{10};
  for (;;) {
    CallFailure failure = CallFailure::kNone;
    const Stop stop = co_await get_items(app, deadline, failure);
    if (stop != Stop::kNone) co_return stop;
    app.loaded = failure == CallFailure::kNone;
    if (failure != CallFailure::kUnknownMethod || Clock::now() >= patience) co_return Stop::kNone;
    const TimePoint next = Clock::now() + pause;
    if (next >= deadline) co_return Stop::kDeadline;
    const bool awake = co_await bus_->loop().sleep_until(next);
    if (!awake) co_return Stop::kGone;
    pause = std::min(pause * 2, milliseconds{200});
  }
}

Task<Stop> Fetch::reload_lazy(App& app, NodeIndex frame, FetchLimits fetch_limits) {
  for (int round = 0; round < 2; ++round) {
    CallFailure failure = CallFailure::kNone;
    Stop stop = co_await get_items(app, fetch_limits.deadline, failure);
    if (stop != Stop::kNone || failure != CallFailure::kNone) co_return stop;
    bool found_new = false;
    stop = co_await discover(app, frame, fetch_limits, found_new);
    if (!found_new || (stop != Stop::kNone && stop != Stop::kBudget)) co_return stop;
  }
  co_return Stop::kNone;
}

Task<Stop> Fetch::discover(App& app, NodeIndex start, FetchLimits fetch_limits, bool& found_new) {
  std::vector<NodeIndex> level{start};
  std::unordered_set<NodeIndex> seen{start};
  while (!level.empty()) {
    std::vector<Call> calls;
    for (const NodeIndex index : level) {
      NodeRecord& node = app.model.at(index);
      if (!node.alive || node.is_fresh(kFreshChildren)) continue;
      // An object without properties has only been named so far; its count is not known either.
      if (!node.is_fresh(kFreshProps)) node.child_count = -1;
      want_children(app, index, config_.max_children, calls);
    }
    if (!calls.empty()) {
      const Stop stop =
          stop_of(app, co_await bus_->run(std::move(calls), limits(fetch_limits.deadline)));
      if (stop != Stop::kNone) co_return stop;
    }
    std::vector<NodeIndex> next;
    for (const NodeIndex index : level) {
      for (const NodeIndex child : app.model.at(index).children) {
        if (!seen.insert(child).second) continue;
        next.push_back(child);
        found_new |= !app.model.at(child).is_fresh(kFreshProps);
      }
    }
    if (seen.size() > fetch_limits.max_nodes) co_return Stop::kBudget;
    level = std::move(next);
  }
  co_return Stop::kNone;
}

void Fetch::want_children(App& app, NodeIndex index, std::size_t cap, std::vector<Call>& calls) {
  NodeRecord& node = app.model.at(index);
  node.mark(kFreshChildren);
  const auto count = static_cast<std::size_t>(std::max(node.child_count, 0));
  const NodeHandle handle = app.model.handle(index);
  if (count <= cap) {
    node.children_cut = false;
    calls.push_back(
        method(node.object, kAccessible, "GetChildren",
               into(app, index, kFreshChildren, decode_refs,
                    [&app, handle, cap](NodeRecord& record, std::vector<ObjectRef> refs) {
                      const bool cut = refs.size() > cap;
                      if (cut) refs.resize(cap);
                      const bool fresh = record.is_fresh(kFreshChildren);
                      app.model.set_children(handle.index, refs);
                      NodeRecord* again = app.model.get(handle);
                      if (again == nullptr) return;
                      again->children_cut = cut;
                      // An event that came after the call was sent keeps the list in doubt.
                      if (!fresh) again->stale(kFreshChildren);
                    })));
    return;
  }
  // Too many to list: the first `cap`, one call each, all in flight together.
  node.children_cut = true;
  auto refs = std::make_shared<std::vector<ObjectRef>>(cap);
  auto left = std::make_shared<std::size_t>(cap);
  for (std::size_t i = 0; i < cap; ++i) {
    Call call = method(node.object, kAccessible, "GetChildAtIndex",
                       [&app, handle, refs, left, i](const CallResult& answer) {
                         if (answer.failure == CallFailure::kNone) {
                           if (auto ref = decode_ref(answer.reply)) (*refs)[i] = *ref;
                         }
                         if (--*left > 0 || app.model.get(handle) == nullptr) return;
                         app.model.set_children(handle.index, *refs);
                       });
    call.fill = [i](sd_bus_message* m) {
      return sd_bus_message_append(m, "i", static_cast<std::int32_t>(i));
    };
    calls.push_back(std::move(call));
  }
}

void Fetch::want_props(App& app, NodeIndex index, std::vector<Call>& calls) {
  NodeRecord& node = app.model.at(index);
  node.mark(kFreshProps);
  const ObjectRef& object = node.object;
  calls.push_back(method(object, kAccessible, "GetRole",
                         into(app, index, kFreshProps, decode_u32,
                              [](NodeRecord& n, std::uint32_t role) { n.role = role; })));
  // No toolkit refuses GetState on a living object, so that refusal says it is gone.
  const auto states = into(app, index, kFreshProps, decode_states,
                           [](NodeRecord& n, StateSet value) { n.states = value; });
  calls.push_back(
      method(object, kAccessible, "GetState",
             [&app, states, handle = app.model.handle(index)](const CallResult& answer) {
               if (answer.failure != CallFailure::kUnknownMethod) return states(answer);
               if (app.model.get(handle) != nullptr) app.model.remove(handle.index);
             }));
  if (app.traits().get_all && !app.get_all_refused) {
    const auto props = into(app, index, kFreshProps, decode_accessible_properties,
                            [](NodeRecord& n, AccessibleProperties read) {
                              n.name = std::move(read.name);
                              n.description = std::move(read.description);
                              n.child_count = read.child_count;
                              if (read.identifier.empty()) return;
                              n.identifier = std::move(read.identifier);
                              n.mark(kFreshIdentifier);
                            });
    Call all = method(object, "org.freedesktop.DBus.Properties", "GetAll",
                      [&app, props, handle = app.model.handle(index)](const CallResult& answer) {
                        props(answer);
                        if (answer.failure != CallFailure::kRefused &&
                            answer.failure != CallFailure::kUnknownMethod) {
                          return;
                        }
                        // The object may be gone; if it is not, its properties are read singly.
                        NodeRecord* node = app.model.get(handle);
                        if (node == nullptr) return;
                        node->stale(kFreshProps);
                        app.get_all_refused = true;
                      });
    all.fill = [](sd_bus_message* m) { return sd_bus_message_append(m, "s", kAccessible); };
    calls.push_back(std::move(all));
    return;
  }
  const auto property = [&](const char* name, std::function<void(const CallResult&)> done) {
    calls.push_back(property_call(object.bus, object.path, kAccessible, name, std::move(done)));
  };
  property("Name", into(app, index, kFreshProps, decode_variant_string,
                        [](NodeRecord& n, std::string s) { n.name = std::move(s); }));
  property("Description", into(app, index, kFreshProps, decode_variant_string,
                               [](NodeRecord& n, std::string s) { n.description = std::move(s); }));
  want_count(app, index, calls);
}

void Fetch::want_interfaces(App& app, NodeIndex index, std::vector<Call>& calls) {
  NodeRecord& node = app.model.at(index);
  node.mark(kFreshInterfaces);
  calls.push_back(method(node.object, kAccessible, "GetInterfaces",
                         into(app, index, kFreshInterfaces, decode_interfaces,
                              [](NodeRecord& n, std::uint32_t bits) { n.interfaces = bits; })));
}

void Fetch::want_count(App& app, NodeIndex index, std::vector<Call>& calls) {
  const ObjectRef& object = app.model.at(index).object;
  calls.push_back(property_call(object.bus, object.path, kAccessible, "ChildCount",
                                into(app, index, kFreshChildren, decode_variant_int,
                                     [](NodeRecord& n, int count) { n.child_count = count; })));
}

Task<Stop> Fetch::frames(App& app, TimePoint deadline) {
  std::vector<Call> calls;
  if (!app.model.at(AppModel::root()).is_fresh(kFreshChildren)) {
    want_children(app, AppModel::root(), config_.max_children, calls);
    const BatchOutcome outcome = co_await bus_->run(std::move(calls), limits(deadline));
    if (const Stop stop = stop_of(app, outcome); stop != Stop::kNone) co_return stop;
  }
  // A second round only where the toolkit turned out to refuse GetAll.
  for (int round = 0; round < 2; ++round) {
    calls = {};
    for (const NodeIndex frame : app.model.at(AppModel::root()).children) {
      const NodeRecord& node = app.model.at(frame);
      if (!node.is_fresh(kFreshProps)) want_props(app, frame, calls);
      if (!node.is_fresh(kFreshInterfaces)) want_interfaces(app, frame, calls);
    }
    if (calls.empty()) break;
    const BatchOutcome outcome = co_await bus_->run(std::move(calls), limits(deadline));
    if (const Stop stop = stop_of(app, outcome); stop != Stop::kNone) co_return stop;
    if (!app.get_all_refused) break;
  }
  co_return Stop::kNone;
}

Task<Stop> Fetch::read_level(App& app, std::vector<NodeIndex> level, TimePoint deadline) {
  std::vector<Call> calls;
  for (const NodeIndex index : level) {
    const NodeRecord& node = app.model.at(index);
    if (!node.alive) continue;
    const bool managed = node.states.has(State::kManagesDescendants);
    if (!node.is_fresh(kFreshProps)) {
      want_props(app, index, calls);
    } else if (managed && node.child_count < 0 && !node.is_fresh(kFreshChildren)) {
      want_count(app, index, calls);
    }
  }
  if (calls.empty()) co_return Stop::kNone;
  co_return stop_of(app, co_await bus_->run(std::move(calls), limits(deadline)));
}

Task<Stop> Fetch::repair(App& app, NodeIndex start, FetchLimits fetch_limits) {
  if (app.loaded && !app.traits().lazy_cache && count_unread(app, start) > kReloadFrom) {
    // One answer for everybody is cheaper than six calls for each.
    CallFailure failure = CallFailure::kNone;
    const Stop reloaded = co_await get_items(app, fetch_limits.deadline, failure);
    if (reloaded != Stop::kNone) co_return reloaded;
  }
  std::unordered_set<NodeIndex> seen{start};
  std::vector<NodeIndex> level{start};
  std::size_t total = 1;
  Stop stop = Stop::kNone;
  while (!level.empty() && stop == Stop::kNone) {
    const bool refused_before = app.get_all_refused;
    stop = co_await read_level(app, level, fetch_limits.deadline);
    if (stop == Stop::kNone && app.get_all_refused && !refused_before) {
      stop = co_await read_level(app, level, fetch_limits.deadline);
    }
    if (stop != Stop::kNone) break;
    std::vector<Call> calls;
    for (const NodeIndex index : level) {
      NodeRecord& node = app.model.at(index);
      if (!node.alive || node.is_fresh(kFreshChildren)) continue;
      if (node.child_count == 0) {
        app.model.set_children(index, {});
        continue;
      }
      const std::size_t room = fetch_limits.max_nodes > total ? fetch_limits.max_nodes - total : 1;
      want_children(app, index, std::min(config_.max_children, room), calls);
    }
    if (!calls.empty()) {
      stop = stop_of(app, co_await bus_->run(std::move(calls), limits(fetch_limits.deadline)));
    }
    std::vector<NodeIndex> next;
    for (const NodeIndex index : level) {
      for (const NodeIndex child : app.model.at(index).children) {
        if (seen.insert(child).second) next.push_back(child);
      }
    }
    total += next.size();
    // Too many nodes is the mildest reason to stop and hides no other.
    if (stop == Stop::kNone && total > fetch_limits.max_nodes) stop = Stop::kBudget;
    level = std::move(next);
  }
  co_return stop;
}

}  // namespace gantry::atspi
