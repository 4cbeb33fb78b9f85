// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/cors.hpp>

#include <algorithm>

#include <gantry/agent_http/text.hpp>

namespace gantry::agent_http {
namespace {

bool is_listed(std::string_view origin, const std::vector<std::string>& origins) {
  return std::find(origins.begin(), origins.end(), origin) != origins.end();
}

}  // namespace

std::optional<HttpResponse> preflight(const HttpRequest& request,
                                      const std::vector<std::string>& origins) {
  const std::string_view origin = header_of(request, "origin");
  const bool asked = !header_of(request, "access-control-request-method").empty();
  if (request.method != "OPTIONS" || origin.empty() || !asked) return std::nullopt;
  HttpResponse response;
  response.content_type = "text/plain; charset=utf-8";
  if (!is_listed(origin, origins)) {
    response.status = 400;
    response.body = Buffer::copy("Disallowed CORS origin");
    return response;
  }
  response.body = Buffer::copy("OK");
  response.headers = {
      {"access-control-allow-methods", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"},
      {"access-control-max-age", "600"}};
  const std::string_view headers = header_of(request, "access-control-request-headers");
  if (!headers.empty()) {
    response.headers.push_back({"access-control-allow-headers", std::string(headers)});
  }
  allow_origin(request, origins, response);
  return response;
}

void allow_origin(const HttpRequest& request, const std::vector<std::string>& origins,
                  HttpResponse& response) {
  const std::string_view origin = header_of(request, "origin");
  if (origin.empty() || !is_listed(origin, origins)) return;
  response.headers.push_back({"access-control-allow-origin", std::string(origin)});
  response.headers.push_back({"access-control-allow-credentials", "true"});
  response.headers.push_back({"vary", "Origin"});
}

}  // namespace gantry::agent_http
