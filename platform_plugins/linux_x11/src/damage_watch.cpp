// SPDX-License-Identifier: Apache-2.0
#include "damage_watch.hpp"

#include <utility>

namespace gantry::x11 {

DamageWatch::DamageWatch(SessionPtr session, xcb_window_t window) : session_(std::move(session)) {
  if (!session_->extensions().damage || !session_->extensions().xfixes) return;
  xcb_connection_t* xcb = session_->xcb();
  damage_ = xcb_generate_id(xcb);
  parts_ = xcb_generate_id(xcb);
  xcb_damage_create(xcb, damage_, window, XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY);
  xcb_xfixes_create_region(xcb, parts_, 0, nullptr);
}

DamageWatch::~DamageWatch() {
  if (damage_ == XCB_NONE) return;
  // Of a window that died meanwhile the server has freed the damage; its complaint is discarded.
  xcb_damage_destroy(session_->xcb(), damage_);
  xcb_xfixes_destroy_region(session_->xcb(), parts_);
  session_->flush();
}

DamageWatch::DamageWatch(DamageWatch&& other) noexcept
    : session_(std::move(other.session_)),
      damage_(std::exchange(other.damage_, XCB_NONE)),
      parts_(std::exchange(other.parts_, XCB_NONE)) {}

DamageWatch& DamageWatch::operator=(DamageWatch&& other) noexcept {
  std::swap(session_, other.session_);
  std::swap(damage_, other.damage_);
  std::swap(parts_, other.parts_);
  return *this;
}

std::optional<bool> DamageWatch::changed() {
  if (!active()) return std::nullopt;
  xcb_connection_t* xcb = session_->xcb();
  const auto subtracted = xcb_damage_subtract_checked(xcb, damage_, XCB_NONE, parts_);
  const auto region =
      fetch_or_null<xcb_xfixes_fetch_region_reply>(xcb, xcb_xfixes_fetch_region(xcb, parts_));
  if (!check(xcb, subtracted, "reading damage") || !region) {
    xcb_xfixes_destroy_region(xcb, parts_);
    damage_ = XCB_NONE;
    return std::nullopt;
  }
  return xcb_xfixes_fetch_region_rectangles_length(region.get()) > 0;
}

}  // namespace gantry::x11
