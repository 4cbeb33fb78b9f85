// SPDX-License-Identifier: Apache-2.0
#pragma once
// Codes by which devices ask to be let in. Strand only; the time and the dice come from outside.

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings.hpp"

namespace gantry::gateway {

/// A device that asks.
struct PairingRequest {
  std::string code;
  std::string sender;
  std::string channel;
  std::string chat;
  std::string account;
  std::string user;     // whose device it says it is; may be empty
  std::string address;  // that it asks from; of a request over another connection its user
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;
};
BOOST_DESCRIBE_STRUCT(PairingRequest, (),
                      (code, sender, channel, chat, account, user, address, created_ms, expires_ms))

/// "ABCDEFGHJKLMNPQRSTUVWXYZ23456789": no letter that looks like a digit.
inline constexpr std::string_view kCodeSigns = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
inline constexpr std::size_t kCodeLength = 8;
inline constexpr const char* kBrowser = "browser";

/// Whether it may be a sender's name: letters, digits and . _ : @ -, up to 128.
bool is_sender(std::string_view text);

class Pairing {
 public:
  using Dice = std::function<Result<std::vector<std::uint8_t>>(std::size_t bytes)>;

  Pairing(PairingSettings settings, Dice dice) : settings_(settings), dice_(std::move(dice)) {}

  /// The same sender and channel get the same code again. Errors: resource_exhausted (too many wait
  /// from this address, or at all), unavailable (no random bytes).
  Result<PairingRequest> ask(PairingRequest request, std::int64_t now_ms);
  [[nodiscard]] std::vector<PairingRequest> waiting(std::int64_t now_ms);
  /// nothing: it does not wait (any more).
  [[nodiscard]] std::optional<PairingRequest> of_sender(std::string_view channel,
                                                        std::string_view sender,
                                                        std::int64_t now_ms);
  /// Takes the code out: it cannot be used twice.
  std::optional<PairingRequest> take(const std::string& code, std::int64_t now_ms);
  /// Puts back what could not be completed, or what was kept elsewhere.
  void put_back(PairingRequest request);
  /// Codes that have expired since this was last asked, for whoever keeps them elsewhere too.
  std::vector<std::string> take_expired() { return std::exchange(expired_, {}); }

 private:
  void forget_expired(std::int64_t now_ms);
  Result<std::string> new_code();

  PairingSettings settings_;
  Dice dice_;
  std::map<std::string, PairingRequest> waiting_;  // by code
  std::vector<std::string> expired_;
};

/// A device that is let in.
struct Device {
  std::string sender;
  std::string channel;
  std::string chat;
  std::string user;
  std::string credential;  // of the identity plugin
  std::int64_t paired_ms = 0;
  std::string paired_by;
  std::int64_t expires_ms = 0;
};
BOOST_DESCRIBE_STRUCT(Device, (),
                      (sender, channel, chat, user, credential, paired_ms, paired_by, expires_ms))

/// Key of a device in the store and in memory.
inline std::string device_key(std::string_view channel, std::string_view sender) {
  return std::string(channel) + "/" + std::string(sender);
}

}  // namespace gantry::gateway
