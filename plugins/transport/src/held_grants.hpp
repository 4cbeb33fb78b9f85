// SPDX-License-Identifier: Apache-2.0
#pragma once
// Credit that a bridge holds back from its plugin while the peer reads slowly.

#include <cstdint>
#include <mutex>
#include <utility>

namespace gantry::transport {

/// Gives an open stream what is held back for it. `mutex` guards both and is free while the stream
/// is told.
template <class Stream>
void grant_held(std::mutex& mutex, const Stream& stream, std::uint32_t& held) {
  Stream open;
  std::uint32_t grants = 0;
  {
    const std::lock_guard lock(mutex);
    open = stream;
    if (open) grants = std::exchange(held, 0);
  }
  if (grants > 0) open.grant(grants);
}

}  // namespace gantry::transport
