// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <catch2/catch.hpp>

namespace gantry::control {
namespace {

HttpRequest request(std::string route, std::vector<HttpParameter> query = {}) {
  HttpRequest out;
  out.route = std::move(route);
  out.method = "GET";
  out.path = "/v1/x";
  out.query = std::move(query);
  return out;
}

TEST_CASE("a call takes contract, body, target and timeout") {
  auto call = request("call", {{"target", "mock"}, {"timeout_ms", "1500"}});
  call.path_parameters = {{"*", "gantry.window.list/1"}};
  call.body = Buffer::copy("{\"a\":1}");
  const auto question = read_question(call, 60'000);
  REQUIRE(question.ok());
  CHECK(question->contract == "gantry.window.list/1");
  CHECK(question->json == "{\"a\":1}");
  CHECK(question->target == "mock");
  CHECK(question->timeout_ms == 1500);
}

TEST_CASE("what acts for its caller cannot be called from outside") {
  for (const char* contract : {"gantry.http.mount/1", "gantry.http.listen/1"}) {
    auto call = request("call");
    call.path_parameters = {{"*", contract}};
    const auto question = read_question(call, 60'000);
    REQUIRE(!question.ok());
    CHECK(question.error().code == Code::PermissionDenied);
  }
}

TEST_CASE("an empty body is an empty request") {
  auto call = request("call");
  call.path_parameters = {{"*", "a.b/1"}};
  CHECK(read_question(call, 60'000)->json == "{}");
}

TEST_CASE("the usual timeout is never above the longest") {
  CHECK(read_question(request("health"), 60'000)->timeout_ms == 30'000);
  CHECK(read_question(request("health"), 1'000)->timeout_ms == 1'000);
}

TEST_CASE("bad parameters are refused with what was found and what is allowed") {
  struct Row {
    HttpRequest request;
    std::string message;
  };
  const std::vector<Row> rows{
      {request("call"), "the path names no contract; write /v1/call/gantry.kernel.health/1"},
      {request("health", {{"timeout_ms", "0"}}),
       "timeout_ms: found '0', allowed: an integer in 1…60000"},
      {request("health", {{"timeout_ms", "1x"}}),
       "timeout_ms: found '1x', allowed: an integer in 1…60000"},
      {request("health", {{"timeout_ms", "60001"}}),
       "timeout_ms: found '60001', allowed: an integer in 1…60000"},
      {request("trace", {{"limit", "-1"}}), "limit: found '-1', allowed: an integer in 1…10000"},
  };
  for (const auto& row : rows) {
    const auto question = read_question(row.request, 60'000);
    REQUIRE(!question.ok());
    CHECK(question.error().code == Code::InvalidArgument);
    CHECK(question.error().message == row.message);
  }
}

TEST_CASE("an unknown route is a 404 that lists the routes") {
  const auto question = read_question(request("none"), 60'000);
  REQUIRE(!question.ok());
  CHECK(question.error().message.find("there is no GET /v1/x; there are: POST /v1/call/*") == 0);
  CHECK(refusal(question.error()).status == 404);
}

TEST_CASE("every kernel route names a contract and ids are unique") {
  const auto mount = mount_request("control");
  CHECK(mount.routes.size() == all_routes().size());
  for (const auto& row : all_routes()) {
    CHECK(find_route(row.id) == &row);
    CHECK((row.id == "call") == row.contract.empty());
  }
}

TEST_CASE("a refusal has code, message and detail") {
  const auto response = refusal({Code::Unavailable, "no \"display\"", "{\"cure\":\"x\"}"});
  CHECK(response.status == 503);
  CHECK(response.content_type == "application/json");
  CHECK(response.body.text() ==
        R"({"error":{"code":"unavailable","message":"no \"display\"","detail":{"cure":"x"}}})");
  CHECK(refusal({Code::FailedPrecondition, "not so", {}}).status == 409);
}

}  // namespace
}  // namespace gantry::control
