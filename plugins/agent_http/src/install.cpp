// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/text.hpp>
#include "handlers.hpp"

namespace gantry::agent_http {
namespace {

std::optional<HttpResponse> registration_error(const Error& error) {
  if (error.code == Code::PermissionDenied) {
    const bool disabled = error.detail.find("disabled") != std::string::npos;
    return detail(403, disabled ? "Install registration is disabled"
                                : "Install registration secret is required");
  }
  if (error.code == Code::ResourceExhausted) return too_many_requests(error);
  if (error.code == Code::Unavailable) return detail(503, "Install auth service not available");
  return std::nullopt;
}

}  // namespace

void register_install(Exchange& exchange) {
  RegisterInstallRequest request;
  request.operating_system = text_of(exchange.members(), "operating_system");
  request.registration_secret =
      trim(header_of(exchange.request(), "x-windie-install-registration-secret"));
  request.peer = exchange.request().peer;
  exchange.call<RegisterInstall>(std::move(request), &registered_view, &registration_error);
}

void who_am_i(Exchange& exchange) { exchange.answer(json_response(200, me_view(*exchange.who))); }

}  // namespace gantry::agent_http
