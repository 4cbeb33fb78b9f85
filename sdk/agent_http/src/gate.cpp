// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/gate.hpp>

#include <gantry/agent_http/text.hpp>

#include <utility>

namespace gantry::agent_http {
namespace {

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

}  // namespace gantry::agent_http
