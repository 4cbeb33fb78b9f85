// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace gantry::agent_ws {
namespace {

std::string tool(const std::string& fields) {
  return R"({"tools":[{"name":"t","description":"d","schema":{"type":"object"})" + fields + "}]}";
}

std::string schema(const std::string& json) {
  return R"({"tools":[{"name":"t","description":"d","schema":)" + json + "}]}";
}

ManifestReport check(const std::string& manifest) { return check_manifest(Json(manifest)); }

struct ReasonRow {
  std::string manifest;
  std::string name;
  std::string reason;
};

TEST_CASE("a tool is rejected with the reason that clients know") {
  const std::string object = R"("schema":{"type":"object"})";
  const ReasonRow rows[] = {
      {"[]", "", "manifest must be an object"},
      {"{}", "", "tools must be a list"},
      {R"({"tools":{}})", "", "tools must be a list"},
      {R"({"tools":[7]})", "#0", "tool entry must be an object"},
      {R"({"tools":[{}]})", "#0", "tool name is required"},
      {R"({"tools":[{"name":"1a"}]})", "1a", "tool name does not match allowed pattern"},
      {R"({"tools":[{"name":"a.b"}]})", "a.b", "tool name does not match allowed pattern"},
      {R"({"tools":[{"name":"web_search"}]})", "web_search", "reserved backend tool name"},
      {R"({"tools":[{"name":"grounded_mouse_action"}]})", "grounded_mouse_action",
       "reserved backend tool name"},
      {R"({"tools":[{"name":"t"}]})", "t", "description is required"},
      {R"({"tools":[{"name":"t","description":" "}]})", "t", "description is required"},
      {R"({"tools":[{"name":"t","description":")" + std::string(2001, 'x') + R"("}]})", "t",
       "description exceeds length limit"},
      {tool(R"(,"execution_target":"moon")"), "t", "invalid execution_target"},
      {tool(R"(,"execution_target":"backend")"), "t", "client manifests cannot add backend tools"},
      {tool(R"(,"argument_resolution":"magic")"), "t", "invalid argument_resolution"},
      {R"({"tools":[{"name":"t","description":"d"}]})", "t", "schema must be an object"},
      {schema("[]"), "t", "schema must be an object"},
      {schema(R"({"not":{}})"), "t", "invalid schema: unsupported schema key 'not'"},
      {schema(R"({"properties":{"a":{"minProperties":1}}})"), "t",
       "invalid schema: unsupported schema key 'minProperties'"},
      {schema(R"({"properties":[]})"), "t", "invalid schema: 'properties' must be an object"},
      {schema(R"({"anyOf":{}})"), "t", "invalid schema: 'anyOf' must be a list"},
      {schema(R"({"items":7})"), "t", "invalid schema: schema nodes must be objects"},
      {schema(R"({"description":")" + std::string(64000, 'x') + R"("})"), "t",
       "invalid schema: larger than 64000 bytes"},
  };
  for (const ReasonRow& row : rows) {
    INFO(row.reason);
    const ManifestReport report = check(row.manifest);
    CHECK(report.accepted.empty());
    REQUIRE(report.rejected.size() == 1);
    CHECK(report.rejected[0].name == row.name);
    CHECK(report.rejected[0].reason == row.reason);
  }
}

TEST_CASE("the second of two tools of a name is rejected") {
  const ManifestReport report =
      check(R"({"tools":[{"name":"t","description":"d","schema":{}},{"name":"t"}]})");
  CHECK(report.accepted.size() == 1);
  REQUIRE(report.rejected.size() == 1);
  CHECK(report.rejected[0].reason == "duplicate tool name");
}

TEST_CASE("schemas may be twelve levels deep") {
  const auto nested = [](int levels) {
    std::string open;
    std::string close;
    for (int i = 1; i < levels; ++i) {
      open += R"({"items":)";
      close += '}';
    }
    return schema(open + "{}" + close);
  };
  CHECK(check(nested(12)).accepted.size() == 1);
  const ManifestReport deep = check(nested(13));
  REQUIRE(deep.rejected.size() == 1);
  CHECK(deep.rejected[0].reason == "invalid schema: schema is deeper than 12 levels");
}

TEST_CASE("names of properties are free, and every allowed key is accepted") {
  CHECK(
      check(
          schema(
              R"({"type":"object","title":"x","description":"x","properties":{"not":{"type":"string","enum":["a"],"const":"a","default":"a","format":"x","pattern":"x","minLength":1,"maxLength":2},"n":{"type":"number","minimum":1,"maximum":2,"exclusiveMinimum":0,"exclusiveMaximum":3},"l":{"type":"array","items":{"$ref":"#/$defs/x"},"minItems":1,"maxItems":2}},"required":["n"],"additionalProperties":false,"$defs":{"x":{}},"allOf":[{}],"anyOf":[{}],"oneOf":[{}]})"))
          .accepted.size() == 1);
  CHECK(check(schema(R"({"additionalProperties":{"type":"string"}})")).accepted.size() == 1);
}

TEST_CASE("an accepted tool is told back") {
  const ManifestReport report = check(
      R"({"version":1,"tools":[{"name":"read_file","description":"Read","execution_target":"sidecar","parameters":{"type":"object"},"execution_schema":{"type":"object"},"argument_resolution":"backend_grounding","optional":true},{"name":"web_search","description":"d","execution_target":"backend","schema":{}}]})");
  REQUIRE(report.accepted.size() == 2);
  const AcceptedTool& first = report.accepted[0];
  CHECK(first.execution_target == "sidecar");
  CHECK(first.model_schema.text == R"({"type":"object"})");
  CHECK(first.execution_schema.text == R"({"type":"object"})");
  CHECK(first.argument_resolution == "backend_grounding");
  CHECK(first.optional);
  CHECK(first.by_client());
  CHECK_FALSE(report.accepted[1].by_client());
}

TEST_CASE("a manifest has at most 64 tools and 512000 bytes") {
  const auto many = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) {
      if (i != 0) list += ',';
      list += R"({"name":"t)" + std::to_string(i) + R"(","description":"d","schema":{}})";
    }
    return R"({"tools":[)" + list + "]}";
  };
  CHECK(check(many(64)).accepted.size() == 64);
  const ManifestReport crowded = check(many(65));
  CHECK(crowded.accepted.empty());
  REQUIRE(crowded.rejected.size() == 1);
  CHECK(crowded.rejected[0].name.empty());
  CHECK(crowded.rejected[0].reason == "manifest has more than 64 tools");
  const ManifestReport large = check(R"({"tools":[],"x":")" + std::string(512'000, 'x') + R"("})");
  REQUIRE(large.rejected.size() == 1);
  CHECK(large.rejected[0].reason == "manifest is larger than 512000 bytes");
}

TEST_CASE("no manifest is no failure") {
  const ManifestReport report = check_manifest(std::nullopt);
  CHECK(report.accepted.empty());
  CHECK(report.rejected.empty());
}

}  // namespace
}  // namespace gantry::agent_ws
