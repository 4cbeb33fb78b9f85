// SPDX-License-Identifier: Apache-2.0
#pragma once
// After an act: waits until the application has stopped talking about what it did, instead of
// sleeping for a time that is too long on one machine and too short on another.

#include <cstdint>

#include "desktop.hpp"
#include "life.hpp"
#include "pulse.hpp"
#include "settings.hpp"

namespace gantry::observation {

struct Settled {
  bool reacted = false;  ///< The application or the window system said that something changed.
  bool quiet = true;     ///< False: it was still talking when the cap was reached.
};

/// Waits for the first sign of a reaction (at most settle.reaction), then until none came for
/// settle.quiet, at most until settle.cap after the start. `since` is the pulse's serial before
/// the act, `pid` the process of the window.
Task<Settled> settle(Pulse& pulse, Desktop& desktop, const SettleSettings& settings,
                     std::int64_t pid, std::uint64_t since, const Life& life);

}  // namespace gantry::observation
