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

enum class DeviceKind {
  RealKeyboards,
  TestKeyboards,  ///< Of the test extension.
  TestPointers,
};

/// Keys, or buttons of pointers, that are down on devices of a kind. Needs the X Input extension;
/// without it nothing is known and the set is empty. [may block: a few round trips]
KeyBits keys_of_devices(const Session& session, DeviceKind kind);

/// Keys that are down on real keyboards, as opposed to what the test extension holds. As above.
inline KeyBits keys_down_physically(const Session& session) {
  return keys_of_devices(session, DeviceKind::RealKeyboards);
}

/// Modifier keys among `down`.
std::vector<std::uint8_t> held_modifiers(const Keymap& keymap, const KeyBits& down);

}  // namespace gantry::x11
