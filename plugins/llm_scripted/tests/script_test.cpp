// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/result.hpp>

#include "script.hpp"

using namespace gantry;
using namespace gantry::scripted;

TEST_CASE("a script is found in the user's query, behind what the client puts around it") {
  CHECK(script_lines(
            "<memory>@script reply no</memory>\n<user_query>@script reply yes</user_query>") ==
        "@script reply yes\n");
  CHECK(script_lines("Please\n  @script reply a\nb").starts_with("  @script reply a\nb\n"));
  CHECK(script_lines("say @script reply x").empty());
  CHECK(script_lines("@scripted reply x").empty());
}

TEST_CASE("answers end where the model waits for results") {
  const auto script = parse_script(
      "@script thinking I look first.\n@script tool list_windows {\"a\": 1}\n"
      "@script reply one\ntwo\n@script batch "
      "[{\"tool\":\"x\"},{\"tool\":\"y\",\"args\":{\"b\":2}}]\n"
      "@script reply done");
  REQUIRE(script.ok());
  REQUIRE(script->answers.size() == 3);
  CHECK(script->answers[0].size() == 2);
  CHECK(script->answers[0][1].calls.at(0).arguments == "{\"a\": 1}");
  CHECK(script->answers[1][0].text == "one\ntwo");
  REQUIRE(script->answers[1][1].calls.size() == 2);
  CHECK(script->answers[1][1].calls[0].arguments == "{}");
  CHECK(script->answers[1][1].calls[1].arguments == "{\"b\":2}");
}

TEST_CASE("what a script gets wrong is named with its line") {
  const auto [text, message] = GENERATE(table<const char*, const char*>({
      {"@script reply a\n@script sing b", "line 2 of the script: 'sing' is no verb"},
      {"@script tool", "expected the name of a tool"},
      {"@script tool x [1]", "expected a JSON object"},
      {"@script batch {}", "expected [{\"tool\""},
      {"@script batch [{}]", "every call of a batch needs `tool`"},
      {"@script chunks hello", "expected a JSON array of texts"},
      {"@script chunks [1]", "every chunk must be a text"},
      {"@script chunks [\"a\"] every 5min", "expected a time such as 50ms"},
      {"@script delay soon", "expected a time such as 50ms"},
      {"@script finish maybe", "expected stop, tool_calls"},
      {"@script error boom", "there is no error 'boom'"},
      {"@script next now", "nothing may follow"},
      {"@script usage 5", "expected a JSON object of numbers"},
      {"reply x", "line 1 does not begin with @script"},
  }));
  const auto script = parse_script(text);
  REQUIRE_FALSE(script.ok());
  CHECK(script.error().code == Code::InvalidArgument);
  CHECK_THAT(script.error().message, Catch::Contains(message));
}
