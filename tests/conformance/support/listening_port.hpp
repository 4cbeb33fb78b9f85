// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a server under test listens.
#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace gantry::conformance {

/// The port of a listener that a plugin opens a moment after it has started: it counts as open when
/// something is mounted on it. Throws std::runtime_error when that takes more than five seconds.
inline std::uint16_t listening_port(Host& host, std::string_view name) {
  constexpr auto kPause = std::chrono::milliseconds(2);
  constexpr int kAttempts = 2500;
  for (int attempt = 0; attempt < kAttempts; ++attempt, std::this_thread::sleep_for(kPause)) {
    const auto listeners = host.bus().call_wait<HttpListeners>({});
    if (!listeners.ok()) continue;
    for (const ListenerInfo& listener : (*listeners)->listeners) {
      if (listener.listener == name && !listener.mounts.empty()) {
        return static_cast<std::uint16_t>(listener.port);
      }
    }
  }
  throw std::runtime_error("the listener '" + std::string(name) + "' did not open");
}

}  // namespace gantry::conformance
