// SPDX-License-Identifier: Apache-2.0
#include "keys.hpp"

#include <gantry/agent_http/text.hpp>

#include <openssl/crypto.h>

namespace gantry::agent_http {
namespace {

bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

bool needs_token(std::string_view path, const Settings& settings) {
  if (!path.starts_with("/api/") || path == "/api/install/register") return false;
  return settings.runs.require_install_token || !path.starts_with("/api/runs/");
}

std::optional<HttpResponse> runs_key(const Exchange& exchange) {
  const std::string& key = settings_of(exchange).runs.api_key;
  if (key.empty()) return detail(503, "Runs API key is not configured");
  if (same_key(trim(header_of(exchange.request(), "x-windie-runs-key")), key)) return std::nullopt;
  return detail(401, "Invalid runs API key");
}

std::optional<HttpResponse> stop_all_key(const Exchange& exchange) {
  // The published text has one key; once there is a key for stopping everything, only that stops.
  const std::string& key = settings_of(exchange).runs.control_api_key;
  if (key.empty()) return runs_key(exchange);
  if (same_key(trim(header_of(exchange.request(), "x-windie-runs-control-key")), key)) {
    return std::nullopt;
  }
  return detail(403, "Invalid runs control API key");
}

}  // namespace gantry::agent_http
