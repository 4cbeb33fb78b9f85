// SPDX-License-Identifier: Apache-2.0
#include "gate.hpp"

#include <openssl/crypto.h>

#include <utility>

#include "text.hpp"

namespace gantry::agent_http {
namespace {

bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool from_this_machine(std::string_view peer) {
  return peer == "unix" || peer.starts_with("127.") || peer.starts_with("[::1]:") ||
         peer.starts_with("[::ffff:127.");
}

HttpResponse refusal(const Error& error) {
  if (error.code == Code::Unauthenticated) {
    const bool missing = error.detail.find("\"missing\"") != std::string::npos;
    return detail(401, missing ? "Missing install bearer token" : "Invalid install bearer token");
  }
  if (error.code == Code::ResourceExhausted) return too_many_requests(error);
  return detail(503, "Install auth service not available");
}

}  // namespace

bool needs_token(std::string_view path, const Settings& settings) {
  if (!path.starts_with("/api/") || path == "/api/install/register") return false;
  return settings.runs.require_install_token || !path.starts_with("/api/runs/");
}

void check_token(const std::shared_ptr<Exchange>& exchange, std::function<void()> admitted) {
  IdentityVerifyRequest request;
  request.kind = CredentialKind::Install;
  request.secret = bearer_of(exchange->request());
  request.peer = exchange->request().peer;
  exchange->host().bus().call<IdentityVerify>(
      std::move(request),
      [exchange, admitted = std::move(admitted)](const Result<Ref<IdentityVerified>>& verified) {
        if (!verified.ok()) return exchange->answer(refusal(verified.error()));
        // Whoever has proven nothing is somebody at this machine, or nobody.
        if ((*verified)->implicit && !from_this_machine(exchange->request().peer)) {
          return exchange->answer(detail(401, "Missing install bearer token"));
        }
        exchange->who = **verified;
        admitted();
      });
}

std::optional<HttpResponse> check_key(const HttpRequest& request, KeyKind kind,
                                      const RunsSettings& runs) {
  if (kind == KeyKind::None) return std::nullopt;
  // The published text has one key; once there is a key for stopping everything, only that stops.
  if (kind == KeyKind::StopAll && !runs.control_api_key.empty()) {
    const std::string_view given = trim(header_of(request, "x-windie-runs-control-key"));
    if (same_key(given, runs.control_api_key)) return std::nullopt;
    return detail(403, "Invalid runs control API key");
  }
  if (runs.api_key.empty()) return detail(503, "Runs API key is not configured");
  if (same_key(trim(header_of(request, "x-windie-runs-key")), runs.api_key)) return std::nullopt;
  return detail(401, "Invalid runs API key");
}

}  // namespace gantry::agent_http
