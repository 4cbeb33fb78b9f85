// SPDX-License-Identifier: Apache-2.0
#include "address_rules.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace gantry::web {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr std::array<std::uint8_t, 12> kNat64{0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0};

struct Row {
  std::string_view network;
  std::string_view use;
};
/// The longest prefix is not looked for: no row lies in another with a different answer, but for
/// those of the cloud services, which come first so that their name is told.
constexpr Row kRows[] = {
    // Cloud metadata services, whose answers hold credentials.
    {"169.254.169.254/32", "cloud metadata"},
    {"169.254.170.2/32", "cloud metadata"},
    {"100.100.100.200/32", "cloud metadata"},
    {"168.63.129.16/32", "cloud metadata"},
    {"192.0.0.192/32", "cloud metadata"},
    {"fd00:ec2::254/128", "cloud metadata"},
    {"fd20:ce::254/128", "cloud metadata"},
    // IPv4
    {"0.0.0.0/8", "this network"},
    {"10.0.0.0/8", "private"},
    {"100.64.0.0/10", "shared by a carrier"},
    {"127.0.0.0/8", "loopback"},
    {"169.254.0.0/16", "link-local"},
    {"172.16.0.0/12", "private"},
    {"192.0.0.0/24", "reserved for protocols"},
    {"192.0.2.0/24", "documentation"},
    {"192.31.196.0/24", "reserved for protocols"},
    {"192.52.193.0/24", "reserved for protocols"},
    {"192.88.99.0/24", "6to4 relay"},
    {"192.168.0.0/16", "private"},
    {"192.175.48.0/24", "reserved for protocols"},
    {"198.18.0.0/15", "benchmarks"},
    {"198.51.100.0/24", "documentation"},
    {"203.0.113.0/24", "documentation"},
    {"224.0.0.0/4", "multicast"},
    {"255.255.255.255/32", "broadcast"},
    {"240.0.0.0/4", "reserved"},
    // IPv6
    {"::/128", "unspecified"},
    {"::1/128", "loopback"},
    {"64:ff9b:1::/48", "NAT64 of a private network"},
    {"100::/64", "discarded"},
    {"2001::/32", "Teredo tunnel"},
    {"2001::/23", "reserved for protocols"},
    {"2001:db8::/32", "documentation"},
    {"2002::/16", "6to4 tunnel"},
    {"2620:4f:8000::/48", "reserved for protocols"},
    {"3fff::/20", "documentation"},
    {"5f00::/16", "segment routing"},
    {"fc00::/7", "private"},
    {"fe80::/10", "link-local"},
    {"fec0::/10", "site-local"},
    {"ff00::/8", "multicast"},
};

struct KnownNetwork {
  Network network;
  std::string_view use;
};

const std::vector<KnownNetwork>& known_networks() {
  static const std::vector<KnownNetwork> kKnown = [] {
    std::vector<KnownNetwork> out;
    for (const Row& row : kRows) out.push_back({read_network(row.network).value(), row.use});
    return out;
  }();
  return kKnown;
}

bool starts_with(const Address& address, const std::array<std::uint8_t, 12>& prefix) {
  return std::equal(prefix.begin(), prefix.end(), address.begin());
}

Address mapped(const std::uint8_t* four) {
  Address out{};
  std::copy(kMapped.begin(), kMapped.end(), out.begin());
  std::copy(four, four + 4, out.begin() + 12);
  return out;
}

/// The interface identifier ::0:5efe:a.b.c.d or ::200:5efe:a.b.c.d.
bool is_isatap(const Address& address) {
  return (address[8] == 0 || address[8] == 2) && address[9] == 0 && address[10] == 0x5E &&
         address[11] == 0xFE;
}

}  // namespace

std::optional<Address> read_address(std::string_view text) {
  const std::string whole(text);
  std::array<std::uint8_t, 4> four{};
  if (::inet_pton(AF_INET, whole.c_str(), four.data()) == 1) return mapped(four.data());
  Address out{};
  if (::inet_pton(AF_INET6, whole.c_str(), out.data()) == 1) return out;
  return std::nullopt;
}

std::string address_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool four = starts_with(address, kMapped);
  ::inet_ntop(four ? AF_INET : AF_INET6, four ? address.data() + 12 : address.data(), text.data(),
              text.size());
  return text.data();
}

bool Network::has(const Address& address) const {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(base.begin(), base.begin() + static_cast<std::ptrdiff_t>(whole),
                  address.begin())) {
    return false;
  }
  if (bits % 8 == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xFF00U >> static_cast<unsigned>(bits % 8));
  return (base.at(whole) & mask) == (address.at(whole) & mask);
}

Result<Network> read_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto base = read_address(text.substr(0, slash));
  const Error wrong =
      invalid_argument("'" + std::string(text) + "' is no network such as 10.0.0.0/8 or fd00::/8");
  if (!base) return wrong;
  Network out{*base, 128};
  if (slash == std::string_view::npos) return out;
  const bool four = text.find(':') == std::string_view::npos;
  const std::string_view digits = text.substr(slash + 1);
  int bits = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (problem != std::errc() || end != digits.data() + digits.size()) return wrong;
  if (bits < 0 || bits > (four ? 32 : 128)) return wrong;
  out.bits = four ? bits + 96 : bits;
  return out;
}

std::string_view special_use(const Address& address) {
  for (const KnownNetwork& known : known_networks()) {
    if (known.network.has(address)) return known.use;
  }
  if (starts_with(address, kMapped)) return {};
  if (starts_with(address, kNat64)) return special_use(mapped(address.data() + 12));
  // Everything that is handed out lies in 2000::/3.
  if ((address[0] & 0xE0U) != 0x20) return "not a public address";
  if (is_isatap(address)) return "ISATAP tunnel";
  return {};
}

std::string_view AddressRules::refusal(const Address& address) const {
  const bool allowed = std::any_of(allowed_.begin(), allowed_.end(),
                                   [&](const Network& network) { return network.has(address); });
  return allowed ? std::string_view() : special_use(address);
}

}  // namespace gantry::web
