// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which addresses may be connected to when a page names them: those of the public internet, and
// networks that the configuration allows. Pure functions. Sources: the IANA special-purpose address
// registries (RFC 6890 and its updates), RFC 4291, RFC 6052 (NAT64), RFC 5214 (ISATAP).

#include <gantry/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::web {

/// 16 bytes as in IPv6; IPv4 is ::ffff:a.b.c.d, so that the mapped form is the same address.
using Address = std::array<std::uint8_t, 16>;

/// A numeric address, without brackets, port or zone. Only the usual form of IPv4: four decimals.
[[nodiscard]] std::optional<Address> read_address(std::string_view text);
[[nodiscard]] std::string address_text(const Address& address);

struct Network {
  Address base{};
  int bits = 128;  // of the 16 bytes: 96 more than IPv4's

  [[nodiscard]] bool has(const Address& address) const;
};

/// "10.0.0.0/8", "fd00::/8", or one address. Errors: invalid_argument.
[[nodiscard]] Result<Network> read_network(std::string_view text);

/// Why an address is not for pages to name ("private", "loopback", …); empty: it is public. Forms
/// that carry an IPv4 address inside are judged by that, or refused.
[[nodiscard]] std::string_view special_use(const Address& address);

class AddressRules {
 public:
  explicit AddressRules(std::vector<Network> allowed) : allowed_(std::move(allowed)) {}
  /// Empty: may be connected to.
  [[nodiscard]] std::string_view refusal(const Address& address) const;

 private:
  std::vector<Network> allowed_;
};

}  // namespace gantry::web
