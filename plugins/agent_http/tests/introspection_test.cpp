// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "wire.hpp"

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

TEST_CASE("a catalogue that is no list of objects is none") {
  AgentModelRows models;
  models.flat = Json(R"([{"id":"a"},{"id":"b"}])");
  const auto view = models_view({}, models);
  REQUIRE(view);
  CHECK(view->at("models").as_array().size() == 2);
  for (const char* wrong : {"{}", "[1]", R"(["a"])", R"([{"id":"a"},null])", "", "["}) {
    INFO(wrong);
    models.flat = Json(wrong);
    CHECK_FALSE(models_view({}, models));
  }
}

TEST_CASE("only four settings are shown, and what is not set is null") {
  AgentPlanned planned;
  planned.config = Json(R"({"interaction_mode":"chat","provider_api_keys":{"openai":{}}})");
  CHECK(json::serialize(system_prompt_view(planned)) ==
        R"({"config":{"model_mode":null,"model_provider":null,"selected_model_id":null,)"
        R"("interaction_mode":"chat"},"system_prompt":""})");
}

TEST_CASE("a refusal of the agent's protocol names the place in the body") {
  const json::value body = json::parse(
      R"({"messages":[{"role":"user"},{"role":"x"}],"agent_definition":{"tools":{"mode":3}}})");
  const auto issues = [&body](const char* detail) {
    return issues_of({Code::InvalidArgument, "m", detail}, body);
  };
  auto found = issues(R"([{"at":"messages.1.role","problem":"Input should be 'a' or 'b'"},
                          {"at":"query.payload.agent_definition.tools.mode",
                           "problem":"Input should be a valid string"},
                          {"at":"messages.0.content","problem":"Field required"}])");
  REQUIRE(found.size() == 3);
  CHECK(found[0].type == "literal_error");
  CHECK(json::serialize(found[0].loc) == R"(["body","messages",1,"role"])");
  CHECK(found[0].input == "x");
  CHECK(found[1].type == "string_type");
  CHECK(json::serialize(found[1].loc) == R"(["body","agent_definition","tools","mode"])");
  CHECK(found[1].input == 3);
  CHECK(found[2].type == "missing");
  CHECK(json::serialize(found[2].input) == R"({"role":"user"})");
  CHECK(issues("").empty());
  CHECK(issues(R"({"at":"x"})").empty());
}

}  // namespace
}  // namespace gantry::agent_http
