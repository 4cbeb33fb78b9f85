// SPDX-License-Identifier: Apache-2.0
//
// The keyboard map on the server: reading it, putting keysyms on spare keycodes, taking them off.
#pragma once

#include "keymap.hpp"
#include "session.hpp"
#include "typing_plan.hpp"

#include <vector>

namespace gantry::x11 {

struct KeyboardState {
  std::uint8_t group = 0;  // effective
  std::uint8_t locked_group = 0;
  std::uint8_t held = 0;     // real modifiers whose keys are down
  std::uint8_t latched = 0;  // for the next key only
  std::uint8_t locked = 0;   // CapsLock, NumLock, …
};

/// Errors: unavailable (no XKEYBOARD). [may block: one round trip each]
Result<Keymap> read_keymap(const Session& session);
Result<KeyboardState> read_keyboard_state(const Session& session);

/// Puts every key of `spare` on its keycode in ONE request, so that clients are told once. What
/// lies between the keycodes is sent as it is in `keymap`, the map before any binding. Keycodes of
/// `previous` that are not used again are emptied by the same request.
Result<void> bind_keys(const Session& session, const Keymap& keymap,
                       const std::vector<SpareKey>& spare,
                       const std::vector<SpareKey>& previous = {});

/// Empties those keycodes again that still carry what bind_keys() put there, also in one request;
/// a layout that was chosen in the meantime is left alone. [may block: two round trips]
Result<void> unbind_keys(const Session& session, const std::vector<SpareKey>& spare);

/// The note on the root window that keycodes are bound, for whoever comes after a crash.
void write_note(const Session& session, const std::vector<SpareKey>& spare);
void delete_note(const Session& session);
/// Takes off what a Gantry that is gone left behind. Returns how many keycodes were repaired.
Result<int> repair_leftovers(const Session& session);

}  // namespace gantry::x11
