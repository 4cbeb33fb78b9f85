// SPDX-License-Identifier: Apache-2.0
//
// What the test extension holds outlives the program that held it: a daemon that is killed while it
// drags leaves a button down for everybody. So each act notes on the root window that it may hold
// something, and whoever connects next lets go of what a writer that is gone has left.
#pragma once

#include "held_keys.hpp"
#include "session.hpp"

#include <cstdint>
#include <vector>

namespace gantry::x11 {

/// Keyboard and pointer act side by side, so each has a note of its own.
enum class Holder { Keyboard, Pointer };

/// To be sent before the first press; the server carries requests out in order.
void note_holding(const Session& session, Holder holder);
/// To be sent after the last release. Not flushed: the note may stay for a while.
void forget_holding(const Session& session, Holder holder);
/// Noted by somebody, alive or not. [may block: one round trip]
[[nodiscard]] bool is_holding_noted(const Session& session, Holder holder);

/// Keys and buttons that the test extension holds, whoever pressed them. Needs the X Input
/// extension; without it nothing is known and both are empty. [may block: a few round trips]
struct HeldByTest {
  KeyBits keys;
  KeyBits buttons;
};
HeldByTest held_by_test(const Session& session);

/// Lets go of what a Gantry that is gone still holds. Returns how many keys and buttons that were.
/// [may block: a few round trips]
int release_leftovers(Session& session);

}  // namespace gantry::x11
