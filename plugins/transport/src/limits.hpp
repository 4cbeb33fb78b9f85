// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every number a peer can run into, with its default. Times are milliseconds, sizes bytes.
// Each is a configuration key of the plugin (see settings.cpp).

#include <cstddef>
#include <cstdint>

namespace gantry::transport {

struct Limits {
  size_t head_bytes = 32 * 1024;         ///< request line + fields; more → 431
  size_t target_bytes = 8 * 1024;        ///< request target; more → 414
  size_t header_count = 100;             ///< fields in one head; more → 431
  int64_t head_timeout_ms = 10'000;      ///< first byte of a head → its end; later → 408
  size_t body_bytes = 10 * 1024 * 1024;  ///< request body unless the mount raises it; more → 413
  int64_t body_timeout_ms = 30'000;      ///< grace for a body …
  size_t body_min_rate = 1024;           ///< … plus one second per this many bytes that came
  size_t message_bytes = 10 * 1024 * 1024;  ///< one WebSocket message, inflated; more → 1009
  int64_t idle_timeout_ms = 75'000;         ///< keep-alive connection without a request
  int64_t ws_ping_interval_ms = 30'000;     ///< silence after which a ping goes out; 0 = never
  int64_t ws_pong_timeout_ms = 30'000;      ///< silence after that ping → closed
  int64_t ws_close_timeout_ms = 5'000;      ///< wait for the peer's close frame
  int64_t linger_timeout_ms = 2'000;        ///< discard what still comes after a final answer
  int64_t tls_handshake_timeout_ms = 10'000;
  size_t send_queue_bytes = 4 * 1024 * 1024;  ///< queued for one peer; more → slow consumer
  int64_t send_timeout_ms = 30'000;           ///< a peer that takes nothing for so long is dropped
  size_t drain_bytes = 64 * 1024;             ///< unread body that is drained instead of closing
  uint32_t receive_credit = 32;          ///< messages handed over and not yet consumed, per socket
  size_t connections = 16'384;           ///< of all listeners together
  size_t connections_per_address = 512;  ///< from one remote address
  size_t connections_loopback = 12'288;  ///< from loopback and Unix sockets, as one address
};

}  // namespace gantry::transport
