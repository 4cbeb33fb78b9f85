// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gantry/counted.hpp>

#include <charconv>
#include <cmath>
#include <cstdio>

namespace gantry::x11 {

std::string to_handle(xcb_window_t window) {
  if (window == XCB_NONE) return {};
  char text[16];
  std::snprintf(text, sizeof text, "%x", window);
  return text;
}

Result<xcb_window_t> from_handle(std::string_view handle) {
  std::string_view digits = handle;
  if (digits.starts_with("x11:")) digits.remove_prefix(4);
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  xcb_window_t window = XCB_NONE;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), window, 16);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() ||
      window == XCB_NONE) {
    return invalid_argument(
        "'" + std::string(handle) +
        "' is not a window handle of this adapter; take one from gantry.window.list");
  }
  return window;
}

gantry::Rect to_contract(const Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

Rect from_contract(const gantry::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

WindowInfo to_contract(const Window& w) {
  WindowInfo info;
  info.handle = to_handle(w.id);
  info.uid = "x11:" + info.handle;
  info.title = w.title;
  info.process = w.process;
  info.app_id = w.app_class;
  info.pid = w.pid;
  info.bounds = to_contract(w.bounds);
  // Client-side decorations are inside the bounds already; only a manager's frame lies around them.
  info.frame = w.frame == Extents{} ? info.bounds : to_contract(grown(w.client, w.frame));
  info.focused = w.focused;
  info.minimized = w.minimized;
  info.mapped = w.mapped;
  info.transient = w.popup;
  info.stacking = w.stacking;
  info.monitor_index = w.monitor;
  info.desktop = w.desktop;
  info.type = w.type;
  return info;
}

std::string WindowNames::uid_of(xcb_window_t window, std::uint32_t pid, Moment seen) {
  constexpr std::size_t kMost = 4096;
  const std::scoped_lock lock(mutex_);
  if (owners_.size() >= kMost && !owners_.contains(window)) owners_.erase(owners_.begin());
  Owner& owner = owners_.try_emplace(window, Owner{pid, 1, seen, false}).first->second;
  const bool other = pid != 0 && owner.pid != 0 && pid != owner.pid;
  if (other || std::exchange(owner.gone, false)) ++owner.count;
  owner.seen = seen;
  if (pid != 0) owner.pid = pid;
  std::string uid = "x11:" + to_handle(window);
  if (owner.count > 1) uid += "." + std::to_string(owner.count);
  return uid;
}

void WindowNames::destroyed(xcb_window_t window, Moment when) {
  const std::scoped_lock lock(mutex_);
  const auto owner = owners_.find(window);
  if (owner != owners_.end() && !when.before(owner->second.seen)) owner->second.gone = true;
}

MonitorInfo to_contract(const Monitor& monitor, std::int32_t index) {
  const auto scaled = [&](std::int32_t pixels) {
    return static_cast<std::int32_t>(std::lround(pixels / monitor.scale));
  };
  const Rect& b = monitor.bounds;
  return {index,           monitor.name,
          monitor.primary, monitor.scale,
          to_contract(b),  {scaled(b.x), scaled(b.y), scaled(b.width), scaled(b.height)}};
}

Capture to_contract(Frame frame) {
  return {frame.unchanged, std::move(frame.image), to_contract(frame.area), frame.serial,
          std::string(frame.route)};
}

InputReceipt to_receipt(const PointerOutcome& outcome) {
  InputReceipt receipt;
  receipt.delivered = true;
  receipt.route = "xtest";
  receipt.evidence = "the pointer is at " + std::to_string(outcome.position.x) + "," +
                     std::to_string(outcome.position.y) +
                     (outcome.buttons_up ? ", no button is down" : ", a button is down");
  receipt.window = to_handle(outcome.window);
  receipt.x = outcome.position.x;
  receipt.y = outcome.position.y;
  if (outcome.window == XCB_NONE)
    receipt.note = "there is no window at this point, only the desktop";
  return receipt;
}

InputReceipt to_receipt(const KeyboardOutcome& outcome, Point pointer) {
  InputReceipt receipt;
  receipt.delivered = true;
  receipt.route = "xtest";
  receipt.evidence = counted(outcome.strokes, "key") + " went to the window with the focus";
  if (outcome.map_changes > 0) {
    receipt.evidence += ", with characters on spare keycodes";
    switch (outcome.evidence) {
      case Evidence::Answered: receipt.evidence += "; its program has read them"; break;
      case Evidence::Drew: receipt.evidence += "; the window was redrawn"; break;
      case Evidence::Nothing: receipt.evidence += "; its program has shown no reaction"; break;
    }
  }
  receipt.window = to_handle(outcome.focus.top_level);
  receipt.x = pointer.x;
  receipt.y = pointer.y;
  if (outcome.focus.top_level == XCB_NONE) {
    receipt.note = "no application window has the focus: only shortcuts of the desktop can react";
  }
  if (outcome.restored_later) {
    receipt.note =
        "the program is busy: the spare keycodes are emptied when it had ten seconds to read them";
  }
  return receipt;
}

ProbeReport to_contract(const Suitability& suitability) {
  ProbeReport report;
  report.adapter = kAdapterName;
  report.platform = kPlatformName;
  report.score = suitability.score;
  report.reason = suitability.reason;
  report.cure = suitability.cure;
  for (const Ability& ability : suitability.abilities) {
    report.capabilities.push_back({ability.name, ability.available, ability.reason, ability.cure});
  }
  return report;
}

}  // namespace gantry::x11
