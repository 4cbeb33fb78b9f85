// SPDX-License-Identifier: Apache-2.0
//
// The frame notation of tests/conformance/ws/frames.yaml: text to bytes for the client's side,
// bytes to text for the server's.
#pragma once

#include "raw_client.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::conformance {

/// Compresses as a client of permessage-deflate does, keeping its context unless told otherwise.
class Deflate {
 public:
  Deflate(int window_bits, bool keep_context);
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;
  ~Deflate();
  std::string compress(std::string_view message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Inflates the server's messages.
class Inflate {
 public:
  Inflate();
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;
  ~Inflate();
  std::string inflate(std::string_view compressed);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Payload notation ('text', hex:00ff, 500*'x') to bytes; throws std::runtime_error on nonsense.
std::string payload_bytes(std::string_view notation);

/// One frame or raw run in the client's notation to wire bytes (masked).
std::string client_frame(std::string_view notation, Deflate* deflate);

struct ServerFrame {
  unsigned opcode = 0;
  bool final = true;
  bool rsv1 = false;
  std::string payload;
};

/// The next frame of the server; nullopt at the end of the stream. Throws when it breaks RFC 6455
/// (masked, reserved bits, lengths that are not minimal).
std::optional<ServerFrame> next_frame(RawClient& client);

}  // namespace gantry::conformance
