// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "failures.hpp"

namespace gantry::agent_http {
namespace {

TEST_CASE("every failure has the code of what failed") {
  using Codes = AgentErrorCode;
  struct Row {
    const char* path;
    std::int32_t status;
    Codes code;
  };
  const Row rows[] = {
      {"/api/install/me", 401, Codes::SESSION_ERROR},
      {"/api/nope", 404, Codes::SESSION_ERROR},
      {"/api/artifacts/", 415, Codes::PARSE_VALIDATION_ERROR},
      {"/api/artifacts/", 413, Codes::INPUT_SIZE_LIMIT_ERROR},
      {"/api/artifacts/", 507, Codes::MEMORY_STORE_ERROR},
      {"/api/artifacts/a.png", 503, Codes::MEMORY_STORE_ERROR},
      {"/api/artifacts/a.png", 404, Codes::SESSION_ERROR},
      {"/api/embeddings/", 422, Codes::PARSE_VALIDATION_ERROR},
      {"/api/embeddings/", 502, Codes::EMBEDDING_ERROR},
      {"/api/embeddings/", 503, Codes::EMBEDDING_ERROR},
      {"/api/semantic/title", 503, Codes::LLM_ERROR},
      {"/api/semantic/summarize", 500, Codes::MEMORY_ERROR},
      {"/api/sdk/models", 502, Codes::LLM_ERROR},
      {"/api/sdk/tool-capabilities/x", 404, Codes::TOOL_NOT_FOUND},
      {"/api/sdk/debug/tool-capabilities/x", 404, Codes::TOOL_NOT_FOUND},
      {"/api/sdk/models", 404, Codes::SESSION_ERROR},
      {"/api/runs/", 503, Codes::CONFIG_ERROR},
      {"/api/runs/x", 409, Codes::SESSION_ERROR},
      {"/api/install/register", 429, Codes::SESSION_ERROR},
  };
  for (const Row& row : rows) {
    INFO(row.path << ' ' << row.status);
    CHECK(failure_code(row.path, row.status) == row.code);
  }
}

}  // namespace
}  // namespace gantry::agent_http
