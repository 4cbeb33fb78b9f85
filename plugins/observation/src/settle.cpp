// SPDX-License-Identifier: Apache-2.0
#include "settle.hpp"

#include "time_units.hpp"

#include <algorithm>

namespace gantry::observation {
namespace {}  // namespace

Task<Settled> settle(Pulse& pulse, Desktop& desktop, const SettleSettings& settings,
                     std::int64_t pid, std::uint64_t since, const Life& life) {
  const std::int64_t began = desktop.monotonic_ns();
  const std::int64_t cap = began + settings.cap * kNanosecondsPerMillisecond;
  std::int64_t until = std::min(cap, began + settings.reaction * kNanosecondsPerMillisecond);
  std::int64_t last_said = began;
  const std::int64_t quiet = settings.quiet * kNanosecondsPerMillisecond;
  Settled settled;
  for (;;) {
    const bool said = co_await pulse.next(pid, since, until, life);
    const std::int64_t now = desktop.monotonic_ns();
    if (!said && !settled.reacted) co_return settled;
    if (!said || now >= cap) {
      settled.quiet = !said && now - last_said >= quiet;
      co_return settled;
    }
    settled.reacted = true;
    last_said = now;
    since = pulse.serial();
    until = std::min(cap, now + quiet);
  }
}

}  // namespace gantry::observation
