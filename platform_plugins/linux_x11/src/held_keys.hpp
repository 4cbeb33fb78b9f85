// SPDX-License-Identifier: Apache-2.0
//
// Keys that are down before we type, and which of them a finger still holds afterwards.
#pragma once

#include "keymap.hpp"
#include "session.hpp"

#include <bitset>
#include <vector>

namespace gantry::x11 {

using KeyBits = std::bitset<256>;

/// Keys that are down as clients see it. [may block: one round trip]
KeyBits keys_down(const Session& session);

/// Keys that are down on real keyboards, as opposed to what the test extension holds. Needs the X
/// Input extension; without it nothing is known and the set is empty. [may block: a few round
/// trips]
KeyBits keys_down_physically(const Session& session);

/// Modifier keys among `down`.
std::vector<std::uint8_t> held_modifiers(const Keymap& keymap, const KeyBits& down);

}  // namespace gantry::x11
