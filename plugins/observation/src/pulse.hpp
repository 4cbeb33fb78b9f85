// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the desktop says by itself: an application's tree changed, a window came or went. Tools wait
// for that instead of sleeping. Used from the plugin's strand.

#include <coroutine>
#include <cstdint>
#include <list>
#include <map>

#include "desktop.hpp"
#include "life.hpp"

namespace gantry::observation {

class Pulse {
 public:
  explicit Pulse(Desktop& desktop) : desktop_(desktop) {}
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;
  ~Pulse();

  /// The tree of an application changed.
  void tree_changed(std::int64_t pid);
  /// A window appeared, went, moved, or got the focus.
  void windows_changed();

  /// Whoever made the call of this life has given up: its waits end now.
  void give_up(const Life& life);
  /// The engine stops: every wait ends here and now, and none begins any more.
  void end();
  [[nodiscard]] bool ended() const { return ended_; }

  /// Counts everything that was said so far. To lose nothing between a look and a wait: take the
  /// serial, look, then wait for what came after the serial.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }

  /// When something was said last, on the monotonic clock; 0: never.
  [[nodiscard]] std::int64_t last_said_ns() const { return last_said_ns_; }

  /// Waits until something about the application (0: any) or the windows is said that is newer than
  /// `since`, at the latest until `until_ns`. True when something was said. `life` must outlive
  /// the wait. False at once after end().
  Task<bool> next(std::int64_t pid, std::uint64_t since, std::int64_t until_ns, const Life& life);

 private:
  struct Waiter {
    std::int64_t pid;
    const Life* life;
    std::coroutine_handle<> waiting;
    std::uint64_t timer = 0;
    bool said = false;
  };
  struct Wait;
  static constexpr std::size_t kMaxApplications = 1024;

  [[nodiscard]] bool newer(std::int64_t pid, std::uint64_t since) const;
  void wake(std::int64_t pid);
  void arm(std::list<Waiter>::iterator waiter, std::int64_t delay_ns);

  Desktop& desktop_;
  std::uint64_t serial_ = 0;
  std::int64_t last_said_ns_ = 0;
  std::uint64_t windows_serial_ = 0;
  std::map<std::int64_t, std::uint64_t> tree_serials_;  ///< By process.
  std::list<Waiter> waiters_;
  bool ended_ = false;
};

}  // namespace gantry::observation
