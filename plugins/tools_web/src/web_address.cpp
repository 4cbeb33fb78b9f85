// SPDX-License-Identifier: Apache-2.0
#include "web_address.hpp"

#include <Poco/Exception.h>
#include <Poco/URI.h>
#include <idn2.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "address_rules.hpp"
#include "text_flow.hpp"

namespace gantry::web {
namespace {

constexpr std::size_t kLongest = 8192;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<signed char>(c) > 0; });
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || is_control(text.front()))) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || is_control(text.back()))) text.remove_suffix(1);
  return text;
}

/// What may not stand in a request as it is, in hexadecimal.
std::string escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte > 0x20 && byte < 0x7F && c != '"' && c != '<' && c != '>' && c != '\\' && c != '^' &&
        c != '`' && c != '{' && c != '|' && c != '}') {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4U], kHex[byte & 0x0FU]};
    }
  }
  return out;
}

/// Of the ASCII characters only those of names, and no empty label.
bool usual_host(std::string_view host) {
  if (host.starts_with('.') || host.find("..") != std::string_view::npos) return false;
  return std::all_of(host.begin(), host.end(), [](char c) {
    return static_cast<signed char>(c) < 0 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

/// The name as the resolver knows it. Errors: invalid_argument.
Result<std::string> ascii_host(std::string_view host) {
  const Error wrong = invalid_argument("'" + std::string(host) + "' is no name of a host");
  if (!usual_host(host)) return wrong;
  if (is_ascii(host)) return ascii_lower(host);
  char* raw = nullptr;
  const int problem = ::idn2_to_ascii_8z(std::string(host).c_str(), &raw,
                                         IDN2_NONTRANSITIONAL | IDN2_USE_STD3_ASCII_RULES);
  const std::unique_ptr<char, void (*)(void*)> owned(raw, ::idn2_free);
  if (problem != IDN2_OK || !usual_host(owned.get())) return wrong;
  return ascii_lower(owned.get());
}

struct Parts {
  std::string_view scheme, authority, rest;
};

/// nullopt-like: an empty scheme when it is no absolute address.
Parts split(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0) return {};
  Parts out;
  out.scheme = text.substr(0, colon);
  const bool word = std::all_of(out.scheme.begin(), out.scheme.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
  if (!word) return {};
  text.remove_prefix(colon + 3);
  // A backslash ends the authority as well: browsers read it so.
  const std::size_t end = std::min(text.find_first_of("/?#\\"), text.size());
  out.authority = text.substr(0, end);
  out.rest = text.substr(end);
  out.rest = out.rest.substr(0, out.rest.find('#'));
  return out;
}

Result<std::uint16_t> read_port(std::string_view digits, std::string_view scheme) {
  if (digits.empty()) return static_cast<std::uint16_t>(scheme == "https" ? 443 : 80);
  std::uint16_t port = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (problem != std::errc() || end != digits.data() + digits.size() || port == 0) {
    return invalid_argument("'" + std::string(digits) + "' is no port");
  }
  return port;
}

struct Place {
  std::string host;
  std::uint16_t port = 0;
};

Result<Place> read_place(std::string_view authority, std::string_view scheme) {
  Place out;
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return invalid_argument("the address lacks a ]");
    out.host = ascii_lower(authority.substr(1, end - 1));
    if (!read_address(out.host) || out.host.find(':') == std::string::npos) {
      return invalid_argument("'" + out.host + "' is no IPv6 address");
    }
    port = authority.substr(end + 1);
    if (!port.empty() && port.front() != ':') return invalid_argument("the address is broken");
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    std::string_view name = authority.substr(0, colon);
    port = authority.substr(colon);
    GANTRY_ASSIGN(out.host, ascii_host(name));
    if (out.host.ends_with('.')) out.host.pop_back();
    if (out.host.empty() || out.host.size() > 253) {
      return invalid_argument("the address names no host");
    }
  }
  if (!port.empty()) port.remove_prefix(1);
  GANTRY_ASSIGN(out.port, read_port(port, scheme));
  return out;
}

Result<void> judge(const WebAddress& address, const UrlRules& rules) {
  const auto& ports = rules.ports;
  if (std::find(ports.begin(), ports.end(), address.port) == ports.end()) {
    return Error{Code::PermissionDenied,
                 "port " + std::to_string(address.port) +
                     " is not one that may be asked (cure: add it to tools_web.fetch.ports)",
                 {}};
  }
  if (host_listed(rules.deny_hosts, address.host)) {
    return Error{Code::PermissionDenied, "the configuration does not allow " + address.host, {}};
  }
  return {};
}

}  // namespace

std::string WebAddress::origin() const {
  const bool usual = port == (scheme == "https" ? 443 : 80);
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return scheme + "://" + name + (usual ? std::string() : ":" + std::to_string(port));
}

bool host_listed(const std::vector<std::string>& hosts, std::string_view host) {
  return std::any_of(hosts.begin(), hosts.end(), [host](const std::string& one) {
    if (host == one) return true;
    return host.size() > one.size() && host.ends_with(one) &&
           host[host.size() - one.size() - 1] == '.';
  });
}

Result<WebAddress> read_web_address(std::string_view text, const UrlRules& rules) {
  text = trimmed(text);
  if (text.size() > kLongest) return invalid_argument("the address is too long");
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return invalid_argument("the address has control characters");
  }
  const Parts parts = split(text);
  if (parts.scheme.empty()) {
    return invalid_argument("an address begins with https:// or http://");
  }
  WebAddress out;
  out.scheme = ascii_lower(parts.scheme);
  if (std::find(rules.schemes.begin(), rules.schemes.end(), out.scheme) == rules.schemes.end()) {
    return Error{Code::PermissionDenied,
                 "addresses with " + out.scheme + ":// are not fetched, only http and https",
                 {}};
  }
  if (parts.authority.find('@') != std::string_view::npos) {
    return Error{Code::PermissionDenied,
                 "the address has a user name or password in it; leave out what is before the @",
                 {}};
  }
  GANTRY_ASSIGN(Place place, read_place(parts.authority, out.scheme));
  out.host = std::move(place.host);
  out.port = place.port;
  GANTRY_TRY(judge(out, rules));
  std::string rest = escaped(parts.rest);
  if (!rest.starts_with('/')) rest.insert(0, "/");
  out.url = out.origin() + rest;
  return out;
}

std::string resolved(const WebAddress& base, std::string_view location) {
  location = trimmed(location);
  if (!split(location).scheme.empty()) return std::string(location);
  if (location.starts_with("//")) return base.scheme + ":" + std::string(location);
  if (location.starts_with('/')) return base.origin() + std::string(location);
  try {
    Poco::URI uri(base.url);
    uri.resolve(escaped(location));
    return uri.toString();
  } catch (const Poco::Exception&) {
    return std::string(location);  // judged and refused as what it is
  }
}

}  // namespace gantry::web
