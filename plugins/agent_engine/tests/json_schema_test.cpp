// SPDX-License-Identifier: Apache-2.0
#include "json_schema.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace gantry;
using agent::check_schema;

namespace {

struct Row {
  std::string schema;
  std::string fits;
  std::string does_not;
  std::string words;  // of the refusal
};

}  // namespace

TEST_CASE("each keyword takes what fits and names what does not") {
  const Row rows[] = {
      {R"({"type":"object"})", "{}", "[]", "$ must be of the type object"},
      {R"({"type":["string","null"]})", "null", "1", "one of the types"},
      {R"({"type":"integer"})", "3.0", "3.5", "of the type integer"},
      {R"({"type":"number"})", "3.5", "true", "of the type number"},
      {R"({"const":{"a":1}})", R"({"a":1.0})", R"({"a":2})", "must be"},
      {R"({"enum":["a","b"]})", R"("b")", R"("c")", "must be one of"},
      {R"({"minimum":2})", "2", "1", "at least 2"},
      {R"({"maximum":2})", "2", "3", "at most 2"},
      {R"({"exclusiveMinimum":2})", "2.1", "2", "more than 2"},
      {R"({"exclusiveMaximum":2})", "1", "2", "less than 2"},
      {R"({"multipleOf":0.5})", "1.5", "1.2", "multiple of"},
      {R"({"minLength":2})", R"("ab")", R"("ä")", "at least 2 characters"},
      {R"({"maxLength":1})", R"("ä")", R"("ab")", "at most 1 characters"},
      {R"({"pattern":"^a+$"})", R"("aa")", R"("ab")", "must match"},
      {R"({"minItems":1})", "[0]", "[]", "at least 1 elements"},
      {R"({"maxItems":1})", "[0]", "[0,0]", "at most 1 elements"},
      {R"({"uniqueItems":true})", "[1,2]", "[1,1.0]", "twice"},
      {R"({"items":{"type":"string"}})", R"(["a"])", R"(["a",1])", "$[1] must be"},
      {R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a"])", R"(["a",1])",
       "$[1] is not allowed"},
      {R"({"required":["a"]})", R"({"a":null})", "{}", "lacks the required member 'a'"},
      {R"({"properties":{"a":{"type":"object","required":["b"]}}})", R"({"a":{"b":1}})",
       R"({"a":{}})", "$.a lacks"},
      {R"({"properties":{"a":{}},"additionalProperties":false})", R"({"a":1})", R"({"b":1})",
       "unknown member 'b'"},
      {R"({"additionalProperties":{"type":"string"}})", R"({"a":"x"})", R"({"a":1})", "$.a must"},
      {R"({"minProperties":1})", R"({"a":1})", "{}", "at least 1 members"},
      {R"({"allOf":[{"minimum":1},{"maximum":2}]})", "1", "3", "at most 2"},
      {R"({"anyOf":[{"type":"string"},{"minimum":5}]})", "5", "4", "none of the possible"},
      {R"({"oneOf":[{"minimum":1},{"minimum":5}]})", "2", "6", "more than one"},
      {R"({"not":{"type":"string"}})", "1", R"("a")", "not allowed"},
      {R"({"$defs":{"p":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/p"}}})",
       R"({"a":"x"})", R"({"a":1})", "$.a must be of the type string"},
      {R"({"format":"date","title":"t","x-other":1})", "1", "", ""},
  };
  for (const Row& row : rows) {
    INFO(row.schema);
    CHECK(check_schema(row.schema, row.fits).ok());
    if (row.does_not.empty()) continue;
    const auto refused = check_schema(row.schema, row.does_not);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::InvalidArgument);
    CHECK(refused.error().message.find(row.words) != std::string::npos);
  }
}

TEST_CASE("a schema that is none, or costs too much, is told from arguments that do not fit") {
  const std::string loop = R"({"$ref":"#"})";
  std::string wide = R"({"$defs":{"a":{"anyOf":[)";
  for (int i = 0; i < 40; ++i) wide += std::string(i ? "," : "") + R"({"$ref":"#/$defs/b"})";
  wide += R"(]},"b":{"anyOf":[)";
  for (int i = 0; i < 3000; ++i) wide += std::string(i ? "," : "") + "false";
  wide += R"(]}},"$ref":"#/$defs/a"})";
  for (const std::string& schema :
       {loop, wide, std::string("3"), std::string("{"), std::string(R"({"type":3})"),
        std::string(R"({"enum":3})"), std::string(R"({"pattern":"("})"),
        std::string(R"({"$ref":"https://example.com/s"})")}) {
    INFO(schema.substr(0, 60));
    const auto refused = check_schema(schema, R"("text")");
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::FailedPrecondition);
  }
}

TEST_CASE("arguments that are no JSON do not fit") {
  const auto refused = check_schema("{}", "{\"a\":");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::InvalidArgument);
}
