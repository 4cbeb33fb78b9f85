// SPDX-License-Identifier: Apache-2.0
#include "cors.hpp"

#include <algorithm>

namespace gantry::rest_observer {

std::string_view header_of(const HttpRequest& request, std::string_view name) {
  const auto header = std::find_if(request.headers.begin(), request.headers.end(),
                                   [&](const HttpHeader& h) { return h.name == name; });
  return header != request.headers.end() ? std::string_view(header->value) : std::string_view();
}

bool Cors::listed(std::string_view origin) const {
  return std::any_of(origins_.begin(), origins_.end(), [&](const std::string& allowed) {
    return allowed == "*" || allowed == origin;
  });
}

void Cors::apply(const HttpRequest& request, HttpResponse& response) const {
  if (origins_.empty()) return;
  const std::string_view origin = header_of(request, "origin");
  if (origin.empty() || !listed(origin)) return;
  response.headers.push_back({"Access-Control-Allow-Origin", std::string(origin)});
  response.headers.push_back({"Vary", "Origin"});
  if (request.method != "OPTIONS") return;
  if (const auto asked = header_of(request, "access-control-request-headers"); !asked.empty()) {
    response.headers.push_back({"Access-Control-Allow-Headers", std::string(asked)});
  }
  response.headers.push_back(
      {"Access-Control-Allow-Methods", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"});
}

}  // namespace gantry::rest_observer
