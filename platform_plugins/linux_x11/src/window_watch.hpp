// SPDX-License-Identifier: Apache-2.0
//
// WindowWatch: turns the server's events into changes of windows, one report for each event: a move
// by a user brings dozens.
#pragma once

#include "connection.hpp"
#include "moment.hpp"

#include <gantry/contracts/window.hpp>

#include <atomic>
#include <functional>
#include <set>

namespace gantry::x11 {

class WindowWatch final : public Listener {
 public:
  /// `serial` grows with every report. Called on the connection's thread; must not block.
  using Report = std::function<void(WindowChange kind, xcb_window_t window, std::uint64_t serial)>;
  /// A window is no more, told before anybody else hears of it. Called as Report is.
  using Destroyed = std::function<void(xcb_window_t window, Moment when)>;
  explicit WindowWatch(Report report, Destroyed destroyed = {})
      : report_(std::move(report)), destroyed_(std::move(destroyed)) {}

  /// Grows whenever the list of windows may have changed.
  [[nodiscard]] std::uint64_t serial() const { return serial_.load(std::memory_order_relaxed); }

  void on_connected(const SessionPtr& session) override;
  void on_lost() override;
  void on_event(const SessionPtr& session, const xcb_generic_event_t& event) override;

 private:
  void tell(WindowChange kind, xcb_window_t window);
  void compare_clients(const Session& session);
  void on_property(const Session& session, const xcb_property_notify_event_t& event);

  Report report_;
  Destroyed destroyed_;
  std::atomic<std::uint64_t> serial_{1};
  std::set<xcb_window_t> clients_;
  bool has_manager_ = false;
};

}  // namespace gantry::x11
