// SPDX-License-Identifier: Apache-2.0
// The way to the accessibility bus: find it, connect, register for events before anything is read
// (bridges only fill their cache once somebody listens), and come back when the bus does.
// Belongs to the bus thread.
#pragma once

#include "bus.hpp"
#include "config.hpp"
#include "session_address.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gantry::atspi {

class BusLink {
 public:
  struct Handlers {
    std::function<void(sd_bus_message*)> signal;
    std::function<void()> up;    ///< connected, listeners registered
    std::function<void()> down;  ///< no connection, after up or at first; what was known is void
  };

  BusLink(Loop& loop, const AtspiConfig& config, SessionEnvironment environment);
  ~BusLink();

  void set_handlers(Handlers handlers) { handlers_ = std::move(handlers); }
  /// Keeps the link up from now on: connects, and reconnects with back-off (0.25 s … 5 s).
  void keep_up();
  /// Connects if needed. The error of the last try is answered at once while backing off, unless
  /// `force`. Safe to await from many tasks: they share one try.
  Task<Result<bool>> ensure(bool force = false);

  /// Fails everything in flight so that waiting tasks unwind; nothing connects any more.
  void shut_down();

  bool up() const { return up_; }
  const std::shared_ptr<Bus>& bus() const { return bus_; }
  TimePoint registered_at() const { return registered_at_; }
  /// Why the link is down; meaningless while up().
  const Error& problem() const { return problem_; }
  /// Where the bus was found, for the probe: "DBUS_SESSION_BUS_ADDRESS".
  const std::string& source() const { return source_; }
  /// The registry has a new owner after a restart: our listeners are to be registered again.
  void registry_restarted();

 private:
  struct Address {
    std::string address;
  };
  Task<Result<bool>> connect();
  Task<Result<Address>> ask_session_bus(std::string session_address);
  Task<Result<bool>> enable_status(Bus& session);
  Task<Result<bool>> register_listeners();
  void lost();
  void retire();
  void retry_later();
  void tell_down();

  Loop& loop_;
  const AtspiConfig& config_;
  SessionEnvironment environment_;
  Handlers handlers_;
  std::shared_ptr<Bus> bus_;
  bool up_ = false;
  bool connecting_ = false;
  bool keep_up_ = false;
  bool told_down_ = false;  // once for each outage
  std::vector<std::coroutine_handle<>> waiting_;
  Error problem_;
  std::string source_;
  milliseconds back_off_{250};
  TimePoint next_try_{};
  TimePoint registered_at_{};
};

}  // namespace gantry::atspi
