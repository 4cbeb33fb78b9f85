// SPDX-License-Identifier: Apache-2.0
//
// Session: one live connection to an X server, from connect until the server goes away.
#pragma once

#include "atoms.hpp"
#include "geometry.hpp"
#include "reply.hpp"

#include <gantry/result.hpp>

#include <xcb/xcb.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace gantry::x11 {

/// What this server can do, with the event numbers where events are read.
struct Extensions {
  bool shm = false;
  bool shm_by_fd = false;  // MIT-SHM 1.2: the segment is a file descriptor, no SysV id
  bool damage = false;
  bool composite = false;
  bool xtest = false;
  bool randr = false;
  bool randr_monitors = false;  // RandR 1.5
  bool xkb = false;
  bool xfixes = false;
  bool xinput = false;
  bool xwayland = false;
};

/// Thread safe: xcb serialises, everything else is fixed after open(). Errors of a request are
/// Results; nothing here ends the process, whatever the server does.
class Session {
 public:
  /// Connects to `display` (":0"; empty: $DISPLAY). Errors: unavailable, saying what is missing and
  /// what would cure it. [may block: several round trips]
  static Result<std::shared_ptr<Session>> open(const std::string& display);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] xcb_connection_t* xcb() const { return xcb_; }
  [[nodiscard]] const xcb_setup_t& setup() const { return *xcb_get_setup(xcb_); }
  [[nodiscard]] const xcb_screen_t& screen() const { return *screen_; }
  [[nodiscard]] xcb_window_t root() const { return screen_->root; }
  [[nodiscard]] xcb_atom_t atom(Atom name) const { return atoms_[static_cast<std::size_t>(name)]; }
  [[nodiscard]] const Extensions& extensions() const { return extensions_; }
  /// Unmapped window of ours: owns selections, carries timestamps and transfers.
  [[nodiscard]] xcb_window_t helper() const { return helper_; }
  [[nodiscard]] const std::string& display() const { return display_; }
  /// Distinguishes this session from earlier and later ones of the process.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  [[nodiscard]] bool alive() const { return xcb_connection_has_error(xcb_) == 0; }
  /// Breaks the connection, so that every thread waiting on it gets an error. Idempotent.
  void shut_down();
  /// Waits until the server has carried out everything sent so far.
  Result<void> sync();
  void flush() const { xcb_flush(xcb_); }
  /// Name of an atom, empty when it does not exist.
  [[nodiscard]] std::string atom_name(xcb_atom_t atom) const;

 private:
  Session() = default;
  Result<void> intern_atoms();
  void query_extensions();
  Result<void> make_helper();

  xcb_connection_t* xcb_ = nullptr;
  const xcb_screen_t* screen_ = nullptr;
  std::array<xcb_atom_t, kAtomCount> atoms_{};
  Extensions extensions_;
  xcb_window_t helper_ = XCB_NONE;
  std::string display_;
  std::uint64_t generation_ = 0;
};

using SessionPtr = std::shared_ptr<Session>;

}  // namespace gantry::x11
