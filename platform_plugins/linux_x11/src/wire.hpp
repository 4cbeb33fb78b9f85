// SPDX-License-Identifier: Apache-2.0
//
// Between the adapter's own types and the contracts'.
#pragma once

#include "keyboard.hpp"
#include "moment.hpp"
#include "pointer.hpp"
#include "probe.hpp"
#include "windows.hpp"

#include <gantry/contracts/input.hpp>
#include <gantry/contracts/platform.hpp>
#include <gantry/contracts/screen.hpp>
#include <gantry/contracts/window.hpp>

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace gantry::x11 {

inline constexpr std::string_view kAdapterName = "X11Adapter";
inline constexpr std::string_view kPlatformName = "Linux";

/// "3a00007"; empty for no window.
std::string to_handle(xcb_window_t window);
/// Reads "3a00007", also with 0x or x11: before it. Errors: invalid_argument.
Result<xcb_window_t> from_handle(std::string_view handle);

/// The uids of windows. The server gives the ids of a client that has gone to the next one, and a
/// client may use an id again for its next window; so the id alone would lead whoever remembers a
/// window into another one: the further windows under one id are called "x11:800007.2", ".3" and so
/// on. [any thread]
class WindowNames {
 public:
  /// `pid` 0 is a client that does not tell; it counts as the one before. `seen`: a moment before
  /// the window was seen.
  std::string uid_of(xcb_window_t window, std::uint32_t pid, Moment seen = {});
  /// The window under this id was destroyed. What has been seen since is another one already, and
  /// keeps the name that it was given: better the old name for long than two names for one window.
  void destroyed(xcb_window_t window, Moment when);

 private:
  struct Owner {
    std::uint32_t pid = 0;
    std::uint32_t count = 1;
    Moment seen;
    bool gone = false;
  };
  std::mutex mutex_;
  std::map<xcb_window_t, Owner> owners_;
};

gantry::Rect to_contract(const Rect& rect);
Rect from_contract(const gantry::Rect& rect);
WindowInfo to_contract(const Window& window);
MonitorInfo to_contract(const Monitor& monitor, std::int32_t index);
Capture to_contract(Frame frame);
InputReceipt to_receipt(const PointerOutcome& outcome);
InputReceipt to_receipt(const KeyboardOutcome& outcome, Point pointer);
ProbeReport to_contract(const Suitability& suitability);

}  // namespace gantry::x11
