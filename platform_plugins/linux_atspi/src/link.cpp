// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include "decode.hpp"

#include <algorithm>
#include <utility>

namespace gantry::atspi {
namespace {

constexpr milliseconds kFirstBackOff{250};
constexpr milliseconds kLastBackOff{5000};
// Activation of the launcher and the registry starts processes.
constexpr milliseconds kActivation{5000};

constexpr const char* kRegistry = "org.a11y.atspi.Registry";

// What bridges are asked to emit. Each class costs the application work, so caret and mouse
// events, which say nothing of the tree, are left out.
constexpr const char* kEvents[] = {
    "object:children-changed",
    "object:state-changed",
    "object:property-change",
    "object:bounds-changed",
    "object:text-changed",
    "object:selection-changed",
    "object:active-descendant-changed",
    "object:visible-data-changed",
    "object:model-changed",
    "object:row-inserted",
    "object:row-deleted",
    "object:row-reordered",
    "document:load-complete",
    "document:reload",
    "window:",
};

constexpr const char* kMatches[] = {
    "type='signal',interface='org.a11y.atspi.Event.Object'",
    "type='signal',interface='org.a11y.atspi.Event.Window'",
    "type='signal',interface='org.a11y.atspi.Event.Document'",
    "type='signal',interface='org.a11y.atspi.Cache'",
    ("type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
     "member='NameOwnerChanged'"),
};

Call status_call(const char* member, const char* name) {
  Call call;
  call.destination = "org.a11y.Bus";
  call.path = "/org/a11y/bus";
  call.interface = "org.freedesktop.DBus.Properties";
  call.member = member;
  call.fill = [name](sd_bus_message* m) {
    return sd_bus_message_append(m, "ss", "org.a11y.Status", name);
  };
  return call;
}

}  // namespace

BusLink::BusLink(Loop& loop, const AtspiConfig& config, SessionEnvironment environment)
    : loop_(loop), config_(config), environment_(std::move(environment)) {
  problem_ = unavailable("the accessibility bus has not been tried yet");
}

BusLink::~BusLink() = default;

void BusLink::keep_up() {
  keep_up_ = true;
  start<Result<bool>>(ensure(true), {});
}

Task<Result<bool>> BusLink::ensure(bool force) {
  if (up_) co_return true;
  if (connecting_) {
    struct Join {
      std::vector<std::coroutine_handle<>>& waiting;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> self) { waiting.push_back(self); }
      void await_resume() const {}
    };
    Join join{waiting_};
    co_await join;
  } else if (!force && Clock::now() < next_try_) {
    co_return problem_;
  } else {
    connecting_ = true;
    Result<bool> connected = co_await connect();
    connecting_ = false;
    up_ = connected.ok();
    if (up_) {
      back_off_ = kFirstBackOff;
      told_down_ = false;
      if (handlers_.up) handlers_.up();
    } else {
      problem_ = connected.error();
      retire();
      tell_down();
      retry_later();
    }
    auto joined = std::move(waiting_);
    waiting_.clear();
    for (const auto& waiter : joined) waiter.resume();
  }
  if (up_) co_return true;
  co_return problem_;
}

void BusLink::tell_down() {
  if (std::exchange(told_down_, true)) return;
  if (handlers_.down) handlers_.down();
}

void BusLink::retry_later() {
  next_try_ = Clock::now() + back_off_;
  back_off_ = std::min(back_off_ * 2, kLastBackOff);
  if (!keep_up_ || loop_.stopping()) return;
  loop_.call_at(next_try_, [this] {
    if (!loop_.stopping()) start<Result<bool>>(ensure(true), {});
  });
}

Task<Result<bool>> BusLink::connect() {
  Result<BusAddress> found = find_bus(environment_);
  if (!found) co_return found.error();
  source_ = found->source;
  std::string address = found->address;
  if (!found->accessibility) {
    Result<Address> asked = co_await ask_session_bus(address);
    if (!asked) co_return asked.error();
    address = asked->address;
  }
  Result<std::shared_ptr<Bus>> opened = Bus::open(loop_, address);
  if (!opened) co_return opened.error();
  bus_ = std::move(opened).value();
  bus_->on_signal([this](sd_bus_message* m) {
    if (handlers_.signal) handlers_.signal(m);
  });
  // From a posted task: this runs inside the connection's own dispatch.
  bus_->on_disconnect([this] { loop_.post([this] { lost(); }); });
  for (const char* rule : kMatches) {
    if (auto added = bus_->add_match(rule); !added) co_return added.error();
  }
  co_return co_await register_listeners();
}

Task<Result<BusLink::Address>> BusLink::ask_session_bus(std::string session_address) {
  Result<std::shared_ptr<Bus>> opened = Bus::open(loop_, session_address);
  if (!opened) co_return opened.error();
  std::shared_ptr<Bus> session = std::move(opened).value();
  Call call;
  call.destination = "org.a11y.Bus";
  call.path = "/org/a11y/bus";
  call.interface = "org.a11y.Bus";
  call.member = "GetAddress";
  Address answer;
  Result<bool> asked = co_await session->call(std::move(call), kActivation,
                                              [&answer](sd_bus_message* m) -> Result<void> {
                                                GANTRY_ASSIGN(answer.address, decode_string(m));
                                                return {};
                                              });
  if (asked && config_.enable_accessibility) (void)co_await enable_status(*session);
  loop_.dispose(std::move(session));
  if (!asked) {
    co_return unavailable(
        "the session bus (" + source_ + ") has no accessibility bus: " + asked.error().message,
        "install at-spi2-core, or start /usr/libexec/at-spi-bus-launcher "
        "--launch-immediately in the session");
  }
  if (answer.address.empty()) {
    co_return unavailable("org.a11y.Bus answered an empty accessibility bus address",
                          "restart at-spi-bus-launcher; the machine may lack dbus-daemon");
  }
  co_return answer;
}

Task<Result<bool>> BusLink::enable_status(Bus& session) {
  bool enabled = false;
  Result<bool> read = co_await session.call(status_call("Get", "IsEnabled"), config_.call_timeout,
                                            [&enabled](sd_bus_message* m) -> Result<void> {
                                              GANTRY_ASSIGN(enabled, decode_variant_bool(m));
                                              return {};
                                            });
  // Qt and Chromium come to the bus only while this is true. It is a property of the session, not
  // of our connection, so it outlives the daemon; the documentation says so.
  if (!read || enabled) co_return read;
  Call set = status_call("Set", "IsEnabled");
  set.fill = [](sd_bus_message* m) {
    return sd_bus_message_append(m, "ssv", "org.a11y.Status", "IsEnabled", "b", 1);
  };
  co_return co_await session.call(std::move(set), config_.call_timeout);
}

Task<Result<bool>> BusLink::register_listeners() {
  std::vector<Call> calls;
  std::string refused;
  for (const char* event : kEvents) {
    Call call;
    call.destination = kRegistry;
    call.path = "/org/a11y/atspi/registry";
    call.interface = kRegistry;
    call.member = "RegisterEvent";
    call.fill = [event](sd_bus_message* m) {
      return sd_bus_message_append(m, "sass", event, 0, "");
    };
    call.done = [&refused](const CallResult& answer) {
      if (answer.failure != CallFailure::kNone) refused = answer.error;
    };
    calls.push_back(std::move(call));
  }
  BatchLimits limits;
  limits.deadline = Clock::now() + kActivation;
  limits.per_call = kActivation;
  const BatchOutcome outcome = co_await bus_->run(std::move(calls), limits);
  if (!outcome.complete() || !refused.empty()) {
    co_return unavailable("the accessibility registry did not take our event listeners: " + refused,
                          "check that at-spi2-registryd is installed and can start");
  }
  registered_at_ = Clock::now();
  co_return true;
}

void BusLink::registry_restarted() {
  if (up_) start<Result<bool>>(register_listeners(), {});
}

void BusLink::retire() {
  if (bus_) bus_->on_signal({});
  loop_.dispose(std::move(bus_));
}

void BusLink::shut_down() {
  keep_up_ = false;
  up_ = false;
  if (bus_) bus_->abandon();
}

void BusLink::lost() {
  if (!bus_ || bus_->connected()) return;
  up_ = false;
  problem_ = unavailable("the accessibility bus went away",
                         "it is tried again every few seconds; restart at-spi-bus-launcher");
  if (connecting_) return;  // connect() sees its calls fail and cleans up itself
  retire();
  tell_down();
  retry_later();
}

}  // namespace gantry::atspi
