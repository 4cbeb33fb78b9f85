// SPDX-License-Identifier: Apache-2.0
#include "root_note.hpp"

namespace gantry::x11 {

void write_note(const Session& session, Atom name, std::span<const std::uint32_t> words) {
  const xcb_atom_t atom = session.atom(name);
  xcb_change_property(session.xcb(), XCB_PROP_MODE_REPLACE, session.helper(), atom,
                      XCB_ATOM_CARDINAL, 32, 1, words.data());
  xcb_change_property(session.xcb(), XCB_PROP_MODE_REPLACE, session.root(), atom, XCB_ATOM_CARDINAL,
                      32, static_cast<std::uint32_t>(words.size()), words.data());
}

void delete_note(const Session& session, Atom name) {
  xcb_delete_property(session.xcb(), session.root(), session.atom(name));
  xcb_delete_property(session.xcb(), session.helper(), session.atom(name));
}

bool writer_lives(const Session& session, Atom name, xcb_window_t writer) {
  return Property::take(session, ask_property(session, writer, name)).present();
}

}  // namespace gantry::x11
