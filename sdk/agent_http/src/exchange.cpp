// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/exchange.hpp>

#include <gantry/agent_http/text.hpp>

namespace gantry::agent_http {

std::string Exchange::base_url() const {
  std::string_view host = header_of(request(), "host");
  if (host.empty()) host = "127.0.0.1";
  return (request().tls ? "https://" : "http://") + std::string(host);
}

void Exchange::fail(const Error& error, std::optional<HttpResponse> said) {
  HttpResponse response = said ? std::move(*said) : failure(error);
  if (response.status >= 500) {
    host_.log().warn(
        "a request failed",
        {{"route", found.route->path}, {"code", code_name(error.code)}, {"reason", error.message}});
  }
  answer(std::move(response));
}

}  // namespace gantry::agent_http
