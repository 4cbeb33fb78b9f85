// SPDX-License-Identifier: Apache-2.0
//
// What the tests on a display share: programs that end with the test, an X server of their own,
// windows made by a second connection, and waiting for a condition instead of a time.
#pragma once

#include "connection.hpp"
#include "windows.hpp"

#include <sys/types.h>
#include <xcb/xcb.h>

#include <chrono>
#include <string>
#include <vector>

namespace gantry::x11::testing {

/// Asks again until `condition` holds; false when it did not within `limit`.
template <class F>
bool eventually(F condition, std::chrono::milliseconds limit = std::chrono::seconds(30)) {
  const Patience patience(&steady_now, steady_now() + std::chrono::nanoseconds(limit).count());
  while (!condition()) {
    if (!patience.pause(10ms)) return condition();
  }
  return true;
}

inline Patience patience(std::chrono::nanoseconds limit = 60s) {
  return {&steady_now, steady_now() + limit.count()};
}

/// A program that is killed with this object.
class Process {
 public:
  Process() = default;
  /// `environment` lines are added to ours.
  explicit Process(const std::vector<std::string>& command,
                   const std::vector<std::string>& environment = {});
  ~Process() { kill(); }
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// SIGKILL, and waits for the end.
  void kill();
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
};

/// An Xvfb of our own: 1280x720x24, no cookie.
class Xvfb {
 public:
  Xvfb();  // picks a free display number
  /// The same display again, after kill().
  void restart();
  void kill() { process_.kill(); }
  [[nodiscard]] Process& process() { return process_; }
  [[nodiscard]] std::string display() const { return ":" + std::to_string(number_); }
  [[nodiscard]] bool ok() const { return number_ >= 0; }

 private:
  int number_ = -1;
  Process process_;
};

/// A window filled with one colour, made by another client than the adapter.
class TestWindow {
 public:
  struct Options {
    Rect bounds{100, 100, 300, 200};
    std::uint32_t colour = 0x336699;
    std::string title = "test window";
    bool override_redirect = false;
  };
  explicit TestWindow(const Options& options, const std::string& display = {});
  ~TestWindow();
  TestWindow(const TestWindow&) = delete;
  TestWindow& operator=(const TestWindow&) = delete;

  [[nodiscard]] xcb_window_t id() const { return id_; }
  [[nodiscard]] xcb_connection_t* xcb() const { return xcb_; }
  void set_title(const std::string& utf8) const;
  /// Asks the window manager to minimise it.
  void minimise() const;
  void unmap() const;
  void fill(std::uint32_t colour) const;
  void move(const Rect& bounds) const;
  /// Key, button and motion events of this window that came, without waiting.
  std::vector<xcb_generic_event_t> events() const;

 private:
  xcb_connection_t* xcb_;
  xcb_window_t root_ = XCB_NONE;
  xcb_window_t id_ = XCB_NONE;
};

/// Waits until the window manager of $DISPLAY answers (EWMH _NET_REQUEST_FRAME_EXTENTS). One that
/// has only just announced itself may drop the first request to map a window.
bool manager_answers();

/// The listed window, or an empty one.
Window find_window(X11Connection& connection, xcb_window_t id);

/// Whole content of a file, empty when there is none.
std::string read_file(const std::string& path);

}  // namespace gantry::x11::testing
