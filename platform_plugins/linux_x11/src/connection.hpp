// SPDX-License-Identifier: Apache-2.0
//
// X11Connection: the adapter's link to the X server over the life of the process. It holds one
// Session at a time, reads its events on a thread of its own, and opens a new one with back-off
// when the server went away. Thread safe.
#pragma once

#include "back_off.hpp"
#include "patience.hpp"
#include "session.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gantry::x11 {

/// Hears of sessions and events. All calls come from the connection's own thread, one at a time;
/// requests with replies are allowed in them.
class Listener {
 public:
  virtual ~Listener() = default;
  /// A session has begun: select events, forget what belonged to the last one.
  virtual void on_connected(const SessionPtr& session) = 0;
  virtual void on_lost() {}
  virtual void on_event(const SessionPtr& session, const xcb_generic_event_t& event) = 0;
};

struct ConnectionOptions {
  std::string display;  // empty: $DISPLAY
  MonotonicClock now = &steady_now;
  std::int64_t first_retry_ns = 100'000'000;
  std::int64_t longest_retry_ns = 5'000'000'000;
  /// After which a server that takes the connection and says nothing is no server. Real time.
  std::chrono::nanoseconds connect_limit = std::chrono::seconds(5);
};

class EventWaiter;

class X11Connection {
 public:
  explicit X11Connection(ConnectionOptions options);
  ~X11Connection();  // stops
  X11Connection(const X11Connection&) = delete;
  X11Connection& operator=(const X11Connection&) = delete;

  /// Before start(); the listener outlives the connection's stop().
  void add_listener(Listener* listener);
  /// Tries to connect and keeps trying afterwards; a missing server is not a failure of start().
  /// [may block: several round trips]
  void start();
  /// Breaks the session for good, so that whoever waits for the server goes on: for a server that
  /// hangs while the adapter stops.
  void give_up();
  /// Ends the thread; later calls of session() are refused. [may block: until the thread is idle]
  void stop();

  /// The live session. Connects at once when there is none, so that a server that came back is
  /// found by the first caller, not after the back-off. Errors: unavailable with reason and cure.
  /// [may block: only when it has to connect, up to connect_limit]
  Result<SessionPtr> session();
  /// The live session or null; never blocks.
  [[nodiscard]] SessionPtr current() const;
  /// Why there is no session; empty when there is one.
  [[nodiscard]] std::string why_not() const;
  [[nodiscard]] const MonotonicClock& clock() const { return options_.now; }
  /// Makes the thread look at the clock again (tests with a manual clock).
  void poke();

  /// A round trip that is under way. The X server is single threaded and another client's grab can
  /// stop it for ever; break_hung() ends the session when a call has waited for too long.
  class Call {
   public:
    explicit Call(X11Connection& owner);
    ~Call();
    /// The server has answered: what follows is another round trip. For acts that take their time.
    void renew();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    X11Connection& owner_;
    std::list<std::int64_t>::iterator entry_;
  };
  /// Breaks the session when a Call is older than `limit_ns`. Called by a timer.
  void break_hung(std::int64_t limit_ns);

 private:
  friend class EventWaiter;
  void run();
  class Attempt;
  Result<SessionPtr> connect(std::unique_lock<std::mutex>& lock);
  void pump(const SessionPtr& session);
  void dispatch(const SessionPtr& session, const xcb_generic_event_t& event);

  const ConnectionOptions options_;
  std::vector<Listener*> listeners_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  SessionPtr session_;
  Error failure_;
  BackOff back_off_;
  bool connecting_ = false;
  std::shared_ptr<Attempt> attempt_;  // one that has not ended yet
  bool stopping_ = false;
  std::thread thread_;

  std::mutex waiters_mutex_;
  std::vector<EventWaiter*> waiters_;
  std::mutex calls_mutex_;
  std::list<std::int64_t> calls_;  // start times of calls under way, oldest first
};

/// An event as it came over the wire (32 bytes; longer ones are cut).
using EventCopy = xcb_generic_event_t;

/// Keeps the events that a caller waits for, from construction on, so that nothing is missed
/// between sending a request and waiting. Used by one thread.
class EventWaiter {
 public:
  using Matches = std::function<bool(const xcb_generic_event_t&)>;
  /// `matches` runs on the connection's thread and must not call into it.
  EventWaiter(X11Connection& connection, Matches matches);
  ~EventWaiter();
  EventWaiter(const EventWaiter&) = delete;
  EventWaiter& operator=(const EventWaiter&) = delete;

  /// The next matching event, or nothing when the patience or the session ended. [may block]
  std::optional<EventCopy> wait(const Patience& patience);

 private:
  friend class X11Connection;
  void offer(const xcb_generic_event_t& event);
  void close();

  X11Connection& connection_;
  Matches matches_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::list<EventCopy> events_;
  bool closed_ = false;
};

/// The type of an event without the "sent by a client" bit.
inline std::uint8_t event_type(const xcb_generic_event_t& event) {
  return event.response_type & 0x7f;
}

/// The server's time now, from a property change of our own: what EWMH and ICCCM want as the user's
/// timestamp. Errors: deadline_exceeded, unavailable. [may block: one round trip]
Result<xcb_timestamp_t> server_time(X11Connection& connection, const SessionPtr& session,
                                    const Patience& patience);

}  // namespace gantry::x11
