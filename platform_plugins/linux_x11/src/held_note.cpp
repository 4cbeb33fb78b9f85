// SPDX-License-Identifier: Apache-2.0
#include "held_note.hpp"

#include "root_note.hpp"

#include <xcb/xtest.h>

#include <algorithm>
#include <array>

namespace gantry::x11 {

namespace {

constexpr std::array kHolders{Holder::Keyboard, Holder::Pointer};

Atom note_of(Holder holder) {
  return holder == Holder::Keyboard ? Atom::GantryHoldsKeys : Atom::GantryHoldsButtons;
}

int release_all(const Session& session, const KeyBits& held, std::uint8_t type) {
  int count = 0;
  for (std::size_t detail = 0; detail < held.size(); ++detail) {
    if (!held[detail]) continue;
    xcb_test_fake_input(session.xcb(), type, static_cast<std::uint8_t>(detail), XCB_CURRENT_TIME,
                        XCB_NONE, 0, 0, 0);
    ++count;
  }
  return count;
}

}  // namespace

void note_holding(const Session& session, Holder holder) {
  const std::uint32_t writer = session.helper();
  write_note(session, note_of(holder), {&writer, 1});
}

void forget_holding(const Session& session, Holder holder) {
  delete_note(session, note_of(holder));
}

bool is_holding_noted(const Session& session, Holder holder) {
  return Property::take(session, ask_property(session, session.root(), note_of(holder))).present();
}

HeldByTest held_by_test(const Session& session) {
  return {keys_of_devices(session, DeviceKind::TestKeyboards),
          keys_of_devices(session, DeviceKind::TestPointers)};
}

int release_leftovers(Session& session) {
  if (!session.extensions().xtest) return 0;
  bool left = false;
  for (const Holder holder : kHolders) {
    const Property note =
        Property::take(session, ask_property(session, session.root(), note_of(holder)));
    const xcb_window_t writer = note.word(0);
    if (writer == XCB_NONE) continue;
    // One that lives may hold keys that look the same, so then everything stays as it is.
    if (writer_lives(session, note_of(holder), writer)) return 0;
    left = true;
  }
  if (!left) return 0;
  const HeldByTest held = held_by_test(session);
  const int released = release_all(session, held.buttons, XCB_BUTTON_RELEASE) +
                       release_all(session, held.keys, XCB_KEY_RELEASE);
  for (const Holder holder : kHolders) forget_holding(session, holder);
  (void)session.sync();  // of a client that ends the server drops what it has not read
  return released;
}

}  // namespace gantry::x11
