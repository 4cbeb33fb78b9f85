// SPDX-License-Identifier: Apache-2.0
//
// Notes on the root window for whoever comes after a crash. The first word of a note is its
// writer's helper window, which carries a mark of the same name as long as the note holds: the
// number alone says nothing, because the server gives it to the next client.
#pragma once

#include "property.hpp"

#include <cstdint>
#include <span>

namespace gantry::x11 {

/// `words` begin with the helper window.
void write_note(const Session& session, Atom name, std::span<const std::uint32_t> words);
/// Not flushed.
void delete_note(const Session& session, Atom name);
/// Whether the window that a note names belongs to a writer that lives, and takes care of the note
/// itself. [may block: one round trip]
bool writer_lives(const Session& session, Atom name, xcb_window_t writer);

}  // namespace gantry::x11
