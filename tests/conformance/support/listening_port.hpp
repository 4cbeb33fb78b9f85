// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a server under test listens.
#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gantry::conformance {

/// The port of a listener: plugins open theirs, and mount on it, before their start is over. Throws
/// std::runtime_error when a kernel that has started has none of that name.
inline std::uint16_t listening_port(Host& host, std::string_view name) {
  const auto listeners = host.bus().call_wait<HttpListeners>({});
  if (!listeners.ok()) throw std::runtime_error(listeners.error().message);
  for (const ListenerInfo& listener : (*listeners)->listeners) {
    if (listener.listener == name && !listener.mounts.empty()) {
      return static_cast<std::uint16_t>(listener.port);
    }
  }
  throw std::runtime_error("the listener '" + std::string(name) + "' is not open");
}

}  // namespace gantry::conformance
