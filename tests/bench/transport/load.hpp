// SPDX-License-Identifier: Apache-2.0
#pragma once

// The client side of the WebSocket benchmarks: many sockets in one thread, every one with a 64-byte
// message on its way, or idle. Runs in a process of its own, so that the server's CPU time and
// memory are the server's alone.

#include <cstdint>
#include <vector>

namespace gantry::bench {

/// Opened, upgraded sockets to 127.0.0.1:port; ends the process with a message when one fails.
std::vector<int> open_websockets(std::uint16_t port, int count, const char* path);

/// Keeps one 64-byte message in flight on each socket for `seconds`; returns the echoes counted.
std::uint64_t echo_for(const std::vector<int>& sockets, double seconds);

}  // namespace gantry::bench
