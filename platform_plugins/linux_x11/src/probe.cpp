// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include "keymap_server.hpp"
#include "windows.hpp"

#include <gantry/counted.hpp>
#include <gantry/cure.hpp>

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace gantry::x11 {

namespace {

Ability window_ability(const Session& session, bool* has_manager) {
  const auto list = list_windows(session, {});
  if (!list) return {"window.list", false, list.error().message, {}};
  *has_manager = list->has_manager;
  if (list->has_manager) return {"window.list", true, "EWMH", {}};
  return {"window.list", true, "XQueryTree, no window manager is running",
          "start a window manager, for example openbox"};
}

Ability activate_ability(bool has_manager) {
  return {"window.activate", true,
          has_manager ? "_NET_ACTIVE_WINDOW" : "XSetInputFocus, no window manager is running",
          has_manager ? "" : "start a window manager, for example openbox"};
}

Ability capture_ability(ScreenCapture& capture) {
  const auto frame = capture.screen({Rect{0, 0, 1, 1}, false, 0});
  if (!frame) return {"screen.capture", false, frame.error().message, {}};
  const bool fast = frame->route == "XShm";
  return {"screen.capture", true,
          std::string(frame->route) + (frame->serial != 0 ? " with XDamage" : ""),
          fast ? "" : "run the daemon on the machine of the X server to share memory with it"};
}

Ability window_capture_ability(const Session& session) {
  if (session.extensions().composite)
    return {"screen.capture.window", true, "XComposite, also when covered", {}};
  return {"screen.capture.window", true, "from the screen, so only uncovered parts are right",
          "enable the X server's Composite extension"};
}

Ability pointer_ability(const Session& session) {
  if (session.extensions().xtest) return {"input.pointer", true, "XTEST", {}};
  return {"input.pointer", false, "the X server has no XTEST extension", "start it without -tst"};
}

Ability keyboard_ability(const Session& session, std::string_view name) {
  const std::string ability(name);
  if (!session.extensions().xtest) {
    return {ability, false, "the X server has no XTEST extension", "start it without -tst"};
  }
  const auto keymap = read_keymap(session);
  if (!keymap) return {ability, false, keymap.error().message, {}};
  return {ability,
          true,
          "XTEST, " + counted(keymap->spare_keycodes().size(), "spare keycode") +
              " for characters without a key",
          {}};
}

}  // namespace

Suitability probe(X11Connection& connection, ScreenCapture& capture) {
  Suitability out;
  const auto session = connection.session();
  if (!session) {
    std::tie(out.reason, out.cure) = split_cure(session.error().message);
    return out;
  }
  const Session& s = **session;
  bool has_manager = false;
  out.abilities.push_back(window_ability(s, &has_manager));
  out.abilities.push_back(activate_ability(has_manager));
  out.abilities.push_back({"monitor.list",
                           true,
                           s.extensions().randr_monitors ? "RandR 1.5"
                           : s.extensions().randr        ? "RandR 1.2"
                                                         : "screen size",
                           {}});
  out.abilities.push_back(capture_ability(capture));
  out.abilities.push_back(window_capture_ability(s));
  out.abilities.push_back(pointer_ability(s));
  out.abilities.push_back(keyboard_ability(s, "input.key"));
  out.abilities.push_back(keyboard_ability(s, "input.text"));
  out.abilities.push_back({"clipboard", true, "CLIPBOARD selection", {}});

  const char* wayland = std::getenv("WAYLAND_DISPLAY");
  const bool under_wayland = s.extensions().xwayland || (wayland != nullptr && *wayland != '\0');
  out.score = 100;
  out.reason = "X server on display '" + s.display() + "'";
  if (!has_manager) {
    out.score -= 20;
    out.reason += ", without a window manager";
  }
  for (const Ability& ability : out.abilities) {
    if (ability.available) continue;
    out.score -= 25;
    out.reason += "; " + ability.name + " does not work: " + ability.reason;
  }
  if (under_wayland) {
    out.score = std::min(out.score, 30);
    out.reason += "; it is XWayland, so only X11 programs are seen";
    out.cure = "use the Wayland adapter, or log into an X11 session";
  }
  out.score = std::max(out.score, 1);
  return out;
}

}  // namespace gantry::x11
