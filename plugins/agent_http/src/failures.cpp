// SPDX-License-Identifier: Apache-2.0
#include "failures.hpp"

#include <algorithm>
#include <array>
#include <boost/describe/enum_to_string.hpp>
#include <string>

namespace gantry::agent_http {
namespace {

constexpr std::int32_t kFirstRefusal = 400;
constexpr std::int32_t kFirstFailure = 500;

struct StatusCode {
  std::int32_t status;
  AgentErrorCode code;
};
/// What is wrong with the request itself.
constexpr std::array kStatuses{
    StatusCode{400, AgentErrorCode::PARSE_VALIDATION_ERROR},
    StatusCode{408, AgentErrorCode::PARSE_TIMEOUT_ERROR},
    StatusCode{413, AgentErrorCode::INPUT_SIZE_LIMIT_ERROR},
    StatusCode{415, AgentErrorCode::PARSE_VALIDATION_ERROR},
    StatusCode{422, AgentErrorCode::PARSE_VALIDATION_ERROR},
    StatusCode{507, AgentErrorCode::MEMORY_STORE_ERROR},
};

struct PathCode {
  std::string_view begins;
  std::int32_t from;  // statuses
  std::int32_t to;
  AgentErrorCode code;
};
/// What a route could not do; the first that fits.
constexpr std::array kPaths{
    PathCode{"/api/sdk/tool-capabilities/", 404, 404, AgentErrorCode::TOOL_NOT_FOUND},
    PathCode{"/api/sdk/debug/tool-capabilities/", 404, 404, AgentErrorCode::TOOL_NOT_FOUND},
    PathCode{"/api/embeddings", kFirstFailure, 599, AgentErrorCode::EMBEDDING_ERROR},
    PathCode{"/api/semantic/", 503, 503, AgentErrorCode::LLM_ERROR},
    PathCode{"/api/semantic/", kFirstFailure, 599, AgentErrorCode::MEMORY_ERROR},
    PathCode{"/api/artifacts", kFirstFailure, 599, AgentErrorCode::MEMORY_STORE_ERROR},
    PathCode{"/api/sdk/", kFirstFailure, 599, AgentErrorCode::LLM_ERROR},
    PathCode{"/api/runs/", 503, 503, AgentErrorCode::CONFIG_ERROR},
};

}  // namespace

AgentErrorCode failure_code(std::string_view path, std::int32_t status) {
  const auto row = std::find_if(kStatuses.begin(), kStatuses.end(),
                                [status](const StatusCode& one) { return one.status == status; });
  if (row != kStatuses.end()) return row->code;
  const auto route = std::find_if(kPaths.begin(), kPaths.end(), [&](const PathCode& one) {
    return path.starts_with(one.begins) && status >= one.from && status <= one.to;
  });
  return route == kPaths.end() ? AgentErrorCode::SESSION_ERROR : route->code;
}

void count_failure(Host& host, const HttpRequest& request, const HttpResponse& response) {
  if (response.status < kFirstRefusal) return;
  const std::string code =
      boost::describe::enum_to_string(failure_code(request.path, response.status), "");
  host.counter("errors_total", "Failures by the code of the published text.", "code=" + code).add();
  const std::string status = std::to_string(response.status);
  if (response.status < kFirstFailure) {
    host.log().debug("a request was refused", {{"code", code}, {"status", status}});
  } else {
    host.log().warn("a request could not be answered", {{"code", code}, {"status", status}});
  }
}

}  // namespace gantry::agent_http
