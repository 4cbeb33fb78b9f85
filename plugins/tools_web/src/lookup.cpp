// SPDX-License-Identifier: Apache-2.0
#include "lookup.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <utility>

namespace gantry::web {

Lookup system_lookup() {
  return [](const std::string& host) -> Result<std::vector<std::string>> {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* raw = nullptr;
    const int problem = ::getaddrinfo(host.c_str(), nullptr, &wanted, &raw);
    if (problem != 0) {
      return unavailable("the name " + host + " has no address: " + ::gai_strerror(problem),
                         "check how the name is written, and the network");
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(raw, ::freeaddrinfo);
    std::vector<std::string> out;
    for (const addrinfo* one = raw; one != nullptr; one = one->ai_next) {
      std::array<char, NI_MAXHOST> text{};
      if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0,
                        NI_NUMERICHOST) == 0) {
        out.emplace_back(text.data());
      }
    }
    return out;
  };
}

Lookup checked_lookup(Lookup lookup, std::shared_ptr<const AddressRules> rules) {
  return [lookup = std::move(lookup),
          rules = std::move(rules)](const std::string& host) -> Result<std::vector<std::string>> {
    GANTRY_ASSIGN(const std::vector<std::string> all, lookup(host));
    std::vector<std::string> out;
    std::string why = "it has no address";
    for (const std::string& text : all) {
      const auto address = read_address(text);  // one with a zone is link-local, and none here
      const std::string_view refusal = address ? rules->refusal(*address) : "link-local";
      if (!refusal.empty()) {
        why = "its address " + text + " is not one of the public internet (" +
              std::string(refusal) + ")";
        continue;
      }
      // As it was judged, so that nobody reads it in another way.
      out.push_back(address_text(*address));
    }
    if (!out.empty()) return out;
    return Error{Code::PermissionDenied,
                 host + " is not fetched: " + why +
                     " (cure: add its network to tools_web.fetch.allow_networks)",
                 {}};
  };
}

}  // namespace gantry::web
