// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/llm/tool_arguments.hpp>

using gantry::llm::read_tool_arguments;

TEST_CASE("good arguments stay as they are") {
  const std::string text = GENERATE(as<std::string>(), R"({"a":1})", R"({ "b" : [1, {"c":"}"}] })");
  const auto read = read_tool_arguments(text);
  CHECK(read.json == text);
  CHECK_FALSE(read.repaired);
  CHECK(read.problem.empty());
}

TEST_CASE("what models get wrong is repaired") {
  const auto [text, expected] = GENERATE(table<const char*, const char*>({
      {"", "{}"},
      {"  \n", "{}"},
      {"null", "{}"},
      {"```json\n{\"a\":1}\n```", "{\"a\":1}"},
      {"\"{\\\"a\\\":1}\"", "{\"a\":1}"},
      {"\"\"", "{}"},
      {"{\"a\":1,}", "{\"a\":1}"},
      {"{\"a\":[1,2,],}", "{\"a\":[1,2]}"},
      {"{'a': 'it\\'s'}", "{\"a\": \"it's\"}"},
      {"{'a': 'say \"x\"'}", "{\"a\": \"say \\\"x\\\"\"}"},
      {"{a: 1, b_2: True, c: None}", "{\"a\": 1, \"b_2\": true, \"c\": null}"},
      {"{\"a\":\"one\ntwo\"}", "{\"a\":\"one\\u000atwo\"}"},
      {"{\"a\":\"C:\\Work\"}", "{\"a\":\"C:\\\\Work\"}"},
      {"{\"a\":1 // why\n}", "{\"a\":1 \n}"},
      {"{/* no */\"a\":1}", "{\"a\":1}"},
      {"{\"a\":[1,{\"b\":2", "{\"a\":[1,{\"b\":2}]}"},
      {"{\"a\":1,", "{\"a\":1}"},
  }));
  const auto read = read_tool_arguments(text);
  CHECK(read.json == expected);
  CHECK(read.problem.empty());
}

TEST_CASE("what cannot be repaired without guessing is a problem") {
  const std::string text =
      GENERATE(as<std::string>(), "{\"command\":\"rm -rf /tmp/x", "hello", "[1,2]", "5",
               "{\"a\":1}{\"b\":2}", "{\"a\" 1}", "{\"a\":}", "\"text\"", "{\"a\":1}]", "```");
  const auto read = read_tool_arguments(text);
  INFO(text);
  CHECK(read.json == "{}");
  CHECK_FALSE(read.problem.empty());
}

TEST_CASE("an answer that was cut off is not completed") {
  CHECK(read_tool_arguments(R"({"a":1})", true).problem.empty());
  const auto read = read_tool_arguments(R"({"a":[1,2)", true);
  CHECK(read.json == "{}");
  CHECK_THAT(read.problem, Catch::Contains("cut off"));
}
