// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include "decode.hpp"

#include <gantry/cure.hpp>

#include <pthread.h>

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace gantry::atspi {
namespace {

/// The contract's word for an event.
std::string_view kind_of(const Event& event) {
  if (event.interface == "Window") return "window";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds = {{
      {"ChildrenChanged", "children"},
      {"TextChanged", "text"},
      {"BoundsChanged", "bounds"},
      {"PropertyChange", "name"},
  }};
  if (event.member == "StateChanged") return event.detail == "focused" ? "focus" : "state";
  if (event.detail == "accessible-value") return "value";
  for (const auto& [member, kind] : kKinds) {
    if (event.member == member) return kind;
  }
  return "state";
}

}  // namespace

Client::Client(AtspiConfig config, SessionEnvironment environment, Callbacks callbacks)
    : config_(config),
      callbacks_(std::move(callbacks)),
      link_(loop_, config_, std::move(environment)),
      directory_(config_),
      reader_(link_, directory_, config_),
      changes_(loop_, [this](const Change& change) {
        if (callbacks_.changed) callbacks_.changed(change);
      }) {
  BusLink::Handlers handlers;
  handlers.signal = [this](sd_bus_message* m) { on_signal(m); };
  handlers.up = [this] {
    directory_.reset();
    if (callbacks_.status) callbacks_.status(status());
  };
  handlers.down = [this] {
    directory_.reset();
    reader_.reset();
    if (callbacks_.status) callbacks_.status(status());
  };
  link_.set_handlers(std::move(handlers));
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "gantry-atspi");
    link_.keep_up();
    loop_.run();
  });
}

Client::~Client() {
  // Everything that waits for the bus fails first; then the loop ends and wakes every sleeper.
  loop_.post([this] {
    callbacks_ = {};
    changes_.close();
    link_.set_handlers({});
    link_.shut_down();
  });
  loop_.stop();
  thread_.join();
}

void Client::read_tree(WindowHint hint, ReadOptions options, TreeDone done) {
  loop_.post([this, hint = std::move(hint), options, done = std::move(done)] {
    start<Result<std::shared_ptr<const Tree>>>(reader_.read(hint, options), done);
  });
}

void Client::act(Act action, ActDone done) {
  loop_.post([this, action = std::move(action), done = std::move(done)] {
    start<Result<Acted>>(run_action(action), done);
  });
}

Task<Result<Acted>> Client::run_action(Act action) {
  Result<bool> up = co_await link_.ensure();
  if (!up) co_return up.error();
  Actions actions(link_.bus(), config_);
  co_return co_await action(actions);
}

void Client::probe(std::function<void(const BusStatus&)> done) {
  loop_.post([this, done = std::move(done)] {
    start<BusStatus>(run_probe(), [done](BusStatus status) { done(status); });
  });
}

Task<BusStatus> Client::run_probe() {
  Result<bool> up = co_await link_.ensure(true);
  if (up) {
    // What it found is in the directory; a failure is in the status.
    (void)co_await directory_.refresh(link_.bus(), Clock::now() + config_.call_timeout, false);
  }
  co_return status();
}

BusStatus Client::status() const {
  BusStatus status;
  status.up = link_.up();
  status.source = link_.source();
  if (!status.up) {
    std::tie(status.reason, status.cure) = split_cure(link_.problem().message);
    if (status.cure.empty()) {
      status.cure = "install at-spi2-core and start the daemon in the desktop session";
    }
    return status;
  }
  for (const auto& [name, app] : directory_.apps()) {
    if (!app->registered) continue;
    ++status.applications;
    status.cached_nodes += app->model.size();
    if (app->hung) status.hung += (status.hung.empty() ? "" : ", ") + app->name;
  }
  status.calls = link_.bus()->counters().calls;
  status.signals = link_.bus()->counters().signals;
  return status;
}

void Client::on_signal(sd_bus_message* message) {
  const char* interface = sd_bus_message_get_interface(message);
  const char* member = sd_bus_message_get_member(message);
  if (interface == nullptr || member == nullptr) return;
  const std::string_view name = interface;
  if (name.starts_with("org.a11y.atspi.Event.")) {
    on_event(message);
  } else if (name == "org.a11y.atspi.Cache") {
    on_cache_signal(message, member);
  } else if (std::string_view(member) == "NameOwnerChanged") {
    on_bus_signal(message);
  }
}

void Client::on_event(sd_bus_message* message) {
  const char* sender = sd_bus_message_get_sender(message);
  const char* path = sd_bus_message_get_path(message);
  if (sender == nullptr || path == nullptr) return;
  const AppPtr app = directory_.find(sender);
  if (!app) {
    // The registry's own desktop object, or somebody new: the list of applications has changed.
    directory_.on_registry_changed();
    return;
  }
  if (app->hung) Directory::absolve(*app);
  // Nothing of it is cached: only its coming and going matters, and nobody could look it up.
  if (!app->identified) return;
  const std::optional<Event> event = decode_event(message);
  if (event && app->model.apply(*event)) announce(*app, *event);
}

void Client::on_cache_signal(sd_bus_message* message, std::string_view member) {
  const char* sender = sd_bus_message_get_sender(message);
  const AppPtr app = sender != nullptr ? directory_.find(sender) : nullptr;
  if (!app || !app->loaded) return;
  Event event;
  event.interface = "Object";
  event.member = "ChildrenChanged";
  if (member == "AddAccessible") {
    auto item = decode_cache_item(message);
    if (!item || item->parent.null()) return;
    // The entry spares reading the new object; its place comes from re-reading the parent.
    if (app->model.find(item->parent) == kNoNode) return;
    const NodeIndex known = app->model.find(item->object);
    const NodeIndex index = app->model.put(*item);
    if (known == kNoNode) app->model.at(index).parent = app->model.find(item->parent);
    event.source = item->parent;
    event.detail = "add";
  } else if (member == "RemoveAccessible") {
    auto ref = decode_ref(message);
    if (!ref) return;
    const NodeIndex index = app->model.find(*ref);
    if (index == kNoNode) return;
    const NodeIndex parent = app->model.at(index).parent;
    if (parent == kNoNode) return app->model.remove(index);
    event.source = app->model.at(parent).object;
    event.detail = "remove";
    event.object = *ref;
  } else {
    return;
  }
  if (app->model.apply(event)) announce(*app, event);
}

void Client::on_bus_signal(sd_bus_message* message) {
  const char* name = nullptr;
  const char* before = nullptr;
  const char* after = nullptr;
  if (sd_bus_message_read(message, "sss", &name, &before, &after) < 0) return;
  if (std::string_view(name) == "org.a11y.atspi.Registry" && *after != '\0') {
    directory_.on_registry_changed();
    link_.registry_restarted();
  }
  directory_.on_name_owner_changed(name, after);
}

void Client::announce(const App& app, const Event& event) {
  if (!callbacks_.changed) return;
  Change change;
  change.pid = app.pid;
  change.sequence = app.model.sequence();
  change.kind = kind_of(event);
  change.native = event.source.native();
  changes_.offer(std::move(change));
}

}  // namespace gantry::atspi
