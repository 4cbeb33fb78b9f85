// SPDX-License-Identifier: Apache-2.0
#pragma once
// Addresses of pages: what may be asked for, and where a redirect leads. Pure functions. Sources:
// RFC 3986, RFC 5890 (names that are not ASCII).

#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::web {

struct WebAddress {
  std::string scheme;  // http or https
  std::string host;    // ASCII, lower case, without brackets and without a dot at the end
  std::uint16_t port = 0;
  std::string url;  // complete, without a fragment, printable ASCII only

  [[nodiscard]] std::string origin() const;
};

struct UrlRules {
  std::vector<std::string> schemes{"http", "https"};
  std::vector<std::int64_t> ports{80, 443};
  std::vector<std::string> deny_hosts;  // example.org, and with it what ends in .example.org
};

/// Errors: invalid_argument (no such address), permission_denied (a scheme, port, host or
/// credentials that must not be there). Messages never hold credentials.
[[nodiscard]] Result<WebAddress> read_web_address(std::string_view text, const UrlRules& rules);

/// What `location` means on that page; not judged yet.
[[nodiscard]] std::string resolved(const WebAddress& base, std::string_view location);

/// Whether a host is one of them or lies below one.
[[nodiscard]] bool host_listed(const std::vector<std::string>& hosts, std::string_view host);

}  // namespace gantry::web
