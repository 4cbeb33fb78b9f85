// SPDX-License-Identifier: Apache-2.0
//
// Pairing with the gateway, for whoever sits at the daemon's machine: which devices ask to be let
// in, and which are. Served by the gateway's plugin.
#pragma once

#include <gantry/contracts/common.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// A device that waits.
struct GatewayPairingRequest {
  std::string code;  // 8 characters; what its user reads on its screen
  std::string sender;
  std::string channel;  // "browser", …
  std::string user;     // whose it says it is; may be empty
  std::string address;  // that it asks from
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;
};
BOOST_DESCRIBE_STRUCT(GatewayPairingRequest, (),
                      (code, sender, channel, user, address, created_ms, expires_ms))

/// A device that was let in.
struct GatewayDevice {
  std::string sender;
  std::string channel;
  std::string user;
  std::string by;  // who let it in
  std::int64_t paired_ms = 0;
  std::int64_t expires_ms = 0;
};
BOOST_DESCRIBE_STRUCT(GatewayDevice, (), (sender, channel, user, by, paired_ms, expires_ms))

struct GatewayPairingList {
  std::vector<GatewayPairingRequest> waiting;  // oldest first
  std::vector<GatewayDevice> paired;
};
BOOST_DESCRIBE_STRUCT(GatewayPairingList, (), (waiting, paired))

struct GatewayPairings {
  static constexpr std::string_view kName = "gantry.gateway.pairings/1";
  static constexpr std::string_view kDoc = "Lists devices that wait to be paired, and paired ones.";
  using Request = Nothing;
  using Response = GatewayPairingList;
};

struct GatewayPairRequest {
  std::string code;
  bool approve = true;  // false: the device is turned away
};
BOOST_DESCRIBE_STRUCT(GatewayPairRequest, (), (code, approve))

/// Answers with the device as it is (approved) or was (denied). Errors: not_found (no such code, or
/// it has expired), unavailable (identity, the store).
struct GatewayPair {
  static constexpr std::string_view kName = "gantry.gateway.pair/1";
  static constexpr std::string_view kDoc = "Lets a waiting device in, or turns it away.";
  using Request = GatewayPairRequest;
  using Response = GatewayDevice;
};

struct GatewayUnpairRequest {
  std::string channel = "browser";
  std::string sender;
};
BOOST_DESCRIBE_STRUCT(GatewayUnpairRequest, (), (channel, sender))

/// Its sockets end at once. Errors: not_found, unavailable.
struct GatewayUnpair {
  static constexpr std::string_view kName = "gantry.gateway.unpair/1";
  static constexpr std::string_view kDoc = "Takes a paired device's access away.";
  using Request = GatewayUnpairRequest;
  using Response = Done;
};

}  // namespace gantry
