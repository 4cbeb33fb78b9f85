// SPDX-License-Identifier: Apache-2.0
#pragma once

// RFC 6455 section 4.2: the opening handshake. Pure functions.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http_types.hpp"
#include "ws_deflate.hpp"

namespace gantry::transport {

struct WsOffer {
  std::string accept_key;
  std::vector<std::string> subprotocols;
  std::optional<DeflateAgreement> deflate;
};

struct HandshakeRefusal {
  Refusal refusal;
  OwnedHeaders headers;  ///< Sec-WebSocket-Version with 426
};

/// Checks a GET with the upgrade fields. Refused: a body, a key that is not 16 bytes of base64 or
/// comes twice, another version than 13 (426, naming 13), malformed subprotocols.
std::variant<WsOffer, HandshakeRefusal> read_handshake(const RequestHead& head,
                                                       const DeflatePolicy& policy);

/// base64(SHA-1(key + GUID)).
std::string websocket_accept(std::string_view key);

/// The lines that a 101 answer carries beside the usual ones.
std::string handshake_fields(const WsOffer& offer, const std::string& subprotocol);

}  // namespace gantry::transport
