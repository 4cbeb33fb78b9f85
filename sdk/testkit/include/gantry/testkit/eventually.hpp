// SPDX-License-Identifier: Apache-2.0
// Waiting for what another thread or process is about to do, where nothing tells of it.
#pragma once

#include <chrono>
#include <thread>

namespace gantry::testkit {

/// Looks again and again until `condition` holds; false when it does not within `limit`, which is
/// long because a machine that tests may be busy.
template <class Condition>
bool eventually(Condition&& condition, std::chrono::seconds limit = std::chrono::seconds(20)) {
  constexpr std::chrono::milliseconds kPause{1};
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace gantry::testkit
