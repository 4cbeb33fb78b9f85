// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who may talk to a listener at all: the Host allow-list against DNS rebinding, the three-state
// Origin check, and the content type that a form on a foreign page cannot send. The same rules hold
// for WebSocket handshakes. Pure functions; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http_types.hpp"

namespace gantry::transport {

struct AccessPolicy {
  /// Names beside the loopback ones and the address that the connection came in on. No ports.
  std::vector<std::string> allowed_hosts;
  /// Origins beside loopback ones, such as "https://desk.example". "*" is not understood.
  std::vector<std::string> allowed_origins;
  bool allow_loopback_origins = true;
};

/// "localhost", "*.localhost", 127.0.0.0/8 and [::1].
bool is_loopback_host(std::string_view host);

/// "name" of "name:port" and "[::1]" of "[::1]:port", in lower case.
std::string host_name_of(std::string_view host_field);

/// 403 when the request's host is none of ours. A missing Host passes only for HTTP/1.0, which
/// parse_head() has made sure of; no browser speaks that.
std::optional<Refusal> check_host(const RequestHead& head, const PeerInfo& peer,
                                  const AccessPolicy& policy);

/// Missing Origin passes; loopback (unless switched off), same-host and listed origins pass;
/// `null`, malformed, doubled and foreign ones are answered 403.
std::optional<Refusal> check_origin(const RequestHead& head, const PeerInfo& peer,
                                    const AccessPolicy& policy);

/// True for an Origin that is in `allowed_origins`; such pages may read answers (CORS).
bool is_listed_origin(std::string_view origin, const AccessPolicy& policy);

/// 415 for a POST that a browser sent (Origin or Sec-Fetch-Site is there) without a JSON media
/// type: such a POST needs no preflight, so a foreign page could send it.
std::optional<Refusal> check_json_post(const RequestHead& head);

/// Whether a browser asks what it may ask (Fetch 4.8, CORS preflight). Such a request never carries
/// credentials, and its answer is not for the page: it passes without a token.
bool is_preflight(const RequestHead& head);

/// application/json and any +json, parameters ignored.
bool is_json_media_type(std::string_view content_type);

/// Equality whose time depends on the lengths only.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// The credential of "Authorization: Bearer …"; empty when there is none or more than one field.
std::string_view bearer_token(const RequestHead& head);

}  // namespace gantry::transport
