// SPDX-License-Identifier: Apache-2.0
// What Python's json.loads() says about the same texts.
#include <gantry/agent_http/json_syntax.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace gantry::agent_http {
namespace {

struct Case {
  std::string text;
  const char* message;  // nullptr: Python takes it
  std::size_t position;
};

TEST_CASE("broken JSON is broken where and why Python says") {
  const std::vector<Case> cases = {
      {"", "Expecting value", 0},
      {"  ", "Expecting value", 2},
      {"{", "Expecting property name enclosed in double quotes", 1},
      {"{\"a\"", "Expecting ':' delimiter", 4},
      {"{\"a\":", "Expecting value", 5},
      {"{\"a\":1", "Expecting ',' delimiter", 6},
      {"{\"a\":1,", "Expecting property name enclosed in double quotes", 7},
      {"{\"a\":1,}", "Expecting property name enclosed in double quotes", 7},
      {"{a:1}", "Expecting property name enclosed in double quotes", 1},
      {"{'a':1}", "Expecting property name enclosed in double quotes", 1},
      {"[", "Expecting value", 1},
      {"[1", "Expecting ',' delimiter", 2},
      {"[1,", "Expecting value", 3},
      {"[1,]", "Expecting value", 3},
      {"[1 2]", "Expecting ',' delimiter", 3},
      {"{\"a\":1 \"b\":2}", "Expecting ',' delimiter", 7},
      {"nul", "Expecting value", 0},
      {"tru", "Expecting value", 0},
      {"-", "Expecting value", 0},
      {"-x", "Expecting value", 0},
      {"01", "Extra data", 1},
      {"1.", "Extra data", 1},
      {"1.5.", "Extra data", 3},
      {"1e", "Extra data", 1},
      {"1e+", "Extra data", 1},
      {"\"a", "Unterminated string starting at", 0},
      {"\"a\\", "Unterminated string starting at", 0},
      {"\"a\\x\"", "Invalid \\escape", 2},
      {"\"a\\u12\"", "Invalid \\uXXXX escape", 3},
      {"\"a\\u12G4\"", "Invalid \\uXXXX escape", 3},
      {"\"a\nb\"", "Invalid control character at", 2},
      {"\"\t\"", "Invalid control character at", 1},
      {"{} {}", "Extra data", 3},
      {"[] x", "Extra data", 3},
      {"1 2", "Extra data", 2},
      {"\"é\" x", "Extra data", 4},
      {"{\"é\":\"ü\\q\"}", "Invalid \\escape", 7},
      {"{\"a\":[1,{\"b\":}]}", "Expecting value", 13},
      {"{\"a\" : 1 , \"b\" , 2}", "Expecting ':' delimiter", 15},
      {"Infinity", nullptr, 0},
      {"NaN", nullptr, 0},
      {"-Infinity", nullptr, 0},
      {"\"\\ud800\"", nullptr, 0},
      {"{\"a\":1}}", "Extra data", 7},
      {"]", "Expecting value", 0},
      {"}", "Expecting value", 0},
      {",", "Expecting value", 0},
      {"[,1]", "Expecting value", 1},
      {"{,}", "Expecting property name enclosed in double quotes", 1},
      {"{\"a\":tru}", "Expecting value", 5},
      {"[1,2,3", "Expecting ',' delimiter", 6},
      {"\"abc\\\"", "Unterminated string starting at", 0},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    const auto problem = syntax_problem(c.text);
    REQUIRE(problem.has_value() == (c.message != nullptr));
    if (!problem) continue;
    CHECK(problem->message == c.message);
    CHECK(problem->position == c.position);
  }
}

}  // namespace
}  // namespace gantry::agent_http
