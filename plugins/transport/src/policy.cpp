// SPDX-License-Identifier: Apache-2.0
#include "policy.hpp"

#include <openssl/crypto.h>

#include <algorithm>

namespace gantry::transport {
namespace {

bool is_dotted_loopback(std::string_view host) {
  if (host.substr(0, 4) != "127.") return false;
  int dots = 0;
  int value = -1;
  for (const char c : host) {
    if (c == '.') {
      if (value < 0) return false;
      ++dots;
      value = -1;
    } else if (c >= '0' && c <= '9') {
      value = std::max(value, 0) * 10 + (c - '0');
      if (value > 255) return false;
    } else {
      return false;
    }
  }
  return dots == 3 && value >= 0;
}

/// The authority of "scheme://authority"; nullopt when `origin` is not of that form.
std::optional<std::string_view> origin_authority(std::string_view origin) {
  const size_t colon = origin.find("://");
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view authority = origin.substr(colon + 3);
  if (authority.empty() || authority.find_first_of("/?#@, ") != std::string_view::npos) {
    return std::nullopt;
  }
  return authority;
}

bool is_web_scheme(std::string_view origin) {
  return origin.substr(0, 7) == "http://" || origin.substr(0, 8) == "https://";
}

std::string without_brackets(std::string host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return host.substr(1, host.size() - 2);
  }
  return host;
}

bool is_allowed_host(std::string_view host_field, const PeerInfo& peer,
                     const AccessPolicy& policy) {
  const std::string host = host_name_of(host_field);
  if (is_loopback_host(host)) return true;
  // An address cannot be rebound, so the one the connection arrived at is as good as a name.
  if (!peer.local_address.empty() && without_brackets(host) == peer.local_address) return true;
  return std::any_of(policy.allowed_hosts.begin(), policy.allowed_hosts.end(),
                     [&](const std::string& name) { return lowered(name) == host; });
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  constexpr std::string_view kSuffix = ".localhost";
  const bool below_localhost =
      host.size() > kSuffix.size() && host.substr(host.size() - kSuffix.size()) == kSuffix;
  return host == "localhost" || host == "[::1]" || host == "::1" || below_localhost ||
         is_dotted_loopback(host);
}

std::string host_name_of(std::string_view host_field) {
  if (!host_field.empty() && host_field.front() == '[') {
    return lowered(host_field.substr(0, host_field.find(']') + 1));
  }
  std::string name = lowered(host_field.substr(0, host_field.find(':')));
  if (name.size() > 1 && name.back() == '.') name.pop_back();
  return name;
}

std::optional<Refusal> check_host(const RequestHead& head, const PeerInfo& peer,
                                  const AccessPolicy& policy) {
  if (head.host.empty()) return std::nullopt;
  if (is_allowed_host(head.host, peer, policy)) return std::nullopt;
  return Refusal{403,
                 "host '" + std::string(head.host) + "' is not served by listener '" +
                     peer.listener + "'; use localhost or add the name to its allowed_hosts",
                 true};
}

bool is_listed_origin(std::string_view origin, const AccessPolicy& policy) {
  const std::string wanted = lowered(origin);
  if (!origin_authority(wanted)) return false;
  return std::any_of(policy.allowed_origins.begin(), policy.allowed_origins.end(),
                     [&](const std::string& allowed) { return lowered(allowed) == wanted; });
}

std::optional<Refusal> check_origin(const RequestHead& head, const PeerInfo& peer,
                                    const AccessPolicy& policy) {
  const size_t origins = head.count("Origin");
  if (origins == 0) return std::nullopt;
  const std::string_view origin = head.find("Origin");
  if (origins == 1 && is_listed_origin(origin, policy)) return std::nullopt;
  const std::string wanted = lowered(origin);
  const auto authority = origin_authority(wanted);
  if (origins == 1 && authority && is_web_scheme(wanted)) {
    const bool loopback = is_loopback_host(host_name_of(*authority));
    if (policy.allow_loopback_origins && loopback) return std::nullopt;
    // Same host: a page that this very server delivered.
    if (lowered(head.host) == *authority && is_allowed_host(head.host, peer, policy)) {
      return std::nullopt;
    }
  }
  return Refusal{403,
                 "origin '" + std::string(origin) + "' may not use listener '" + peer.listener +
                     "'; add it to its allowed_origins if it should",
                 true};
}

bool is_json_media_type(std::string_view content_type) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  if (equals_ignoring_case(type, "application/json")) return true;
  constexpr std::string_view kSuffix = "+json";
  return type.size() > kSuffix.size() &&
         equals_ignoring_case(type.substr(type.size() - kSuffix.size()), kSuffix);
}

std::optional<Refusal> check_json_post(const RequestHead& head) {
  if (head.method != "POST") return std::nullopt;
  if (head.count("Origin") == 0 && head.count("Sec-Fetch-Site") == 0) return std::nullopt;
  if (head.count("Content-Type") == 1 && is_json_media_type(head.find("Content-Type"))) {
    return std::nullopt;
  }
  return Refusal{415, "a POST from a browser needs Content-Type: application/json here", false};
}

bool is_preflight(const RequestHead& head) {
  return head.method == "OPTIONS" && head.count("Origin") == 1 &&
         head.count("Access-Control-Request-Method") == 1;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view bearer_token(const RequestHead& head) {
  if (head.count("Authorization") != 1) return {};
  const std::string_view value = head.find("Authorization");
  constexpr std::string_view kScheme = "Bearer ";
  if (value.size() <= kScheme.size() ||
      !equals_ignoring_case(value.substr(0, kScheme.size()), kScheme)) {
    return {};
  }
  return trim(value.substr(kScheme.size()));
}

}  // namespace gantry::transport
