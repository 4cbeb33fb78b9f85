// SPDX-License-Identifier: Apache-2.0
//
// Moment: what came first, a request of ours or an event.
#pragma once

#include <cstdint>

namespace gantry::x11 {

/// A moment in the life of a session: the server had carried out its requests up to this one.
struct Moment {
  std::uint64_t generation = 0;  // of the session
  std::uint32_t sequence = 0;

  /// Whether this moment is certainly earlier; moments of different sessions cannot tell.
  [[nodiscard]] bool before(const Moment& other) const {
    return generation == other.generation &&
           static_cast<std::int32_t>(sequence - other.sequence) < 0;
  }
};

}  // namespace gantry::x11
