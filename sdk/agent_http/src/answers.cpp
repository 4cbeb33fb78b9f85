// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/answers.hpp>

#include <gantry/codec.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

HttpResponse with_body(std::int32_t status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = Buffer::of(std::move(body));
  return response;
}

struct CodeStatus {
  Code code;
  std::int32_t status;
};

constexpr CodeStatus kStatuses[] = {
    {Code::InvalidArgument, 400},    {Code::Unauthenticated, 401}, {Code::PermissionDenied, 403},
    {Code::NotFound, 404},           {Code::AlreadyExists, 409},   {Code::Aborted, 409},
    {Code::FailedPrecondition, 409}, {Code::OutOfRange, 413},      {Code::ResourceExhausted, 507},
    {Code::DeadlineExceeded, 503},   {Code::Unavailable, 503},
};

}  // namespace

HttpResponse json_response(std::int32_t status, const json::value& body) {
  return with_body(status, codec::serialize(body));
}

HttpResponse detail(std::int32_t status, std::string_view text) {
  return json_response(status, json::object{{"detail", json::string(text)}});
}

HttpResponse detail_object(std::int32_t status, std::string_view object) {
  return with_body(status, "{\"detail\":" + std::string(object) + "}");
}

HttpResponse too_many_requests(const Error& error) {
  constexpr std::int64_t kMsInSecond = 1000;
  HttpResponse response = detail(429, "Too many attempts; try again later");
  json::error_code problem;
  const json::value said = json::parse(error.detail, problem);
  const json::object* members = problem ? nullptr : said.if_object();
  const json::value* wait = members != nullptr ? members->if_contains("retry_after_ms") : nullptr;
  if (wait != nullptr && wait->is_int64()) {
    response.headers.push_back(
        {"retry-after", std::to_string((wait->get_int64() + kMsInSecond - 1) / kMsInSecond)});
  }
  return response;
}

HttpResponse invalid(const std::vector<Issue>& issues) {
  return with_body(422, validation_body(issues));
}

HttpResponse failure(const Error& error) {
  const auto found =
      std::find_if(std::begin(kStatuses), std::end(kStatuses),
                   [&error](const CodeStatus& row) { return row.code == error.code; });
  if (found != std::end(kStatuses)) return detail(found->status, error.message);
  HttpResponse response;
  response.status = 500;
  response.content_type = "text/plain; charset=utf-8";
  response.body = Buffer::copy("Internal Server Error");
  return response;
}

std::optional<HttpResponse> artifact_error(const Error& error) {
  if (error.detail.find("\"unsupported_type\"") != std::string::npos) {
    return detail(415, "Unsupported content type");
  }
  if (error.code == Code::OutOfRange) return detail(413, "Artifact too large");
  if (error.code == Code::InvalidArgument) return detail(400, "Invalid artifact id");
  if (error.code == Code::NotFound) return detail(404, "Artifact not found");
  return std::nullopt;
}

json::object artifact_view(const ArtifactInfo& info, std::string_view base_url) {
  return {{"artifact_id", info.artifact_id},
          {"content_type", info.content_type},
          {"size_bytes", info.size_bytes},
          {"sha256", info.sha256},
          {"url", std::string(base_url) + "/api/artifacts/" + info.artifact_id}};
}

}  // namespace gantry::agent_http
