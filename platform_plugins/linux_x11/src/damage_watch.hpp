// SPDX-License-Identifier: Apache-2.0
//
// DamageWatch: did a window's pixels change since the last look? By XDamage, read synchronously, so
// that the answer covers everything the server did before the question.
#pragma once

#include "session.hpp"

#include <xcb/damage.h>
#include <xcb/xfixes.h>

#include <optional>

namespace gantry::x11 {

/// Belongs to one session; used by one thread at a time.
class DamageWatch {
 public:
  DamageWatch() = default;
  /// Watches `window` and what is inside it. Without XDamage the watch is inactive.
  DamageWatch(SessionPtr session, xcb_window_t window);
  ~DamageWatch();
  DamageWatch(DamageWatch&& other) noexcept;
  DamageWatch& operator=(DamageWatch&& other) noexcept;
  DamageWatch(const DamageWatch&) = delete;
  DamageWatch& operator=(const DamageWatch&) = delete;

  [[nodiscard]] bool active() const { return damage_ != XCB_NONE; }
  /// Whether something was drawn since the last call; nothing when that cannot be known (no
  /// XDamage, or the window died, which also ends the watch). [may block: one round trip]
  std::optional<bool> changed();

 private:
  SessionPtr session_;
  xcb_damage_damage_t damage_ = XCB_NONE;
  xcb_xfixes_region_t parts_ = XCB_NONE;
};

}  // namespace gantry::x11
