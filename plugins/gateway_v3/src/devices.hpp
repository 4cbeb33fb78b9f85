// SPDX-License-Identifier: Apache-2.0
#pragma once
// Devices that ask to be let in, and those that are. A paired device is a credential of the
// identity plugin and a document in the store. Strand only.

#include <gantry/contracts/identity.hpp>
#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "pairing.hpp"
#include "settings.hpp"

namespace gantry::gateway {

class Devices {
 public:
  Devices(Host& host, const PairingSettings& settings);

  Task<Result<void>> load();
  [[nodiscard]] Pairing& requests() { return requests_; }
  /// Those that are let in at present.
  [[nodiscard]] const std::map<std::string, Device>& paired();
  /// nullptr: it is not paired (any more).
  [[nodiscard]] const Device* find(std::string_view channel, std::string_view sender) const;

  /// Whether this device has a code that nobody has decided on.
  [[nodiscard]] bool waits(std::string_view channel, std::string_view sender);
  /// Whether it waits for a decision, or for one that has fallen to be written down.
  [[nodiscard]] bool is_pending(std::string_view channel, std::string_view sender);
  /// Gives a device a code, as Pairing::ask() does. Where there is a store the code outlives the
  /// daemon.
  Task<Result<PairingRequest>> ask(PairingRequest request);
  /// Lets the device of this code in. Errors: not_found, unavailable (identity, the store); then
  /// the code still holds.
  Task<Result<Device>> approve(std::string code, std::string by);
  /// Errors: not_found.
  Task<Result<PairingRequest>> deny(std::string code);
  /// Its sockets end at once. Errors: not_found, unavailable.
  Task<Result<void>> revoke(std::string channel, std::string sender);
  /// The identity plugin says that a credential is worthless.
  void revoked(const std::string& credential);

 private:
  Task<Result<Device>> let_in(PairingRequest request, std::string by);
  [[nodiscard]] bool has_ended(const Device& device) const;
  [[nodiscard]] std::int64_t now_ms() const { return host_.wall_ns() / 1'000'000; }

  Host& host_;
  PairingSettings settings_;
  Pairing requests_;
  std::map<std::string, Device> paired_;  // by device_key
  std::set<std::string> approved_;        // by device_key: their approval is being written
};

}  // namespace gantry::gateway
