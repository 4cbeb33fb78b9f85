// SPDX-License-Identifier: Apache-2.0
//
// Answers that every route of the agent's HTTP API may give. Any thread.
#pragma once

#include <gantry/agent_http/body_model.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/result.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gantry::agent_http {

HttpResponse json_response(std::int32_t status, const boost::json::value& body);
/// {"detail":"…"}
HttpResponse detail(std::int32_t status, std::string_view text);
/// {"detail":{…}}, `object` being JSON text.
HttpResponse detail_object(std::int32_t status, std::string_view object);
/// 429, with Retry-After when the error says how long.
HttpResponse too_many_requests(const Error& error);
/// 422 with what is wrong.
HttpResponse invalid(const std::vector<Issue>& issues);

/// What an error of a contract is when a route has no words of its own for it: 400, 403, 404, 409,
/// 429, 503, 507, else 500 without a reason.
HttpResponse failure(const Error& error);

/// The words for an error of gantry.artifact.*; nullopt: it has none of its own.
std::optional<HttpResponse> artifact_error(const Error& error);
/// `base_url` is that of the request: "http://127.0.0.1:8765".
boost::json::object artifact_view(const ArtifactInfo& info, std::string_view base_url);

}  // namespace gantry::agent_http
