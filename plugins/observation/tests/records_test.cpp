// SPDX-License-Identifier: Apache-2.0
// What traces and the audit log have of the arguments of a call.
#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "argument_check.hpp"
#include "tool_schema.hpp"

namespace gantry::observation {
namespace {

namespace json = boost::json;

TEST_CASE("a record has of arguments what the tool takes, in any depth") {
  const auto recorded = [](std::string_view tool, const std::string& args,
                           const std::vector<std::string>& readable = {}) {
    return recordable_args(find_tool(tool), args, readable, true);
  };
  CHECK(recorded("click_element", R"({"selector":"Button","s3cret":1,"text":"s3cret"})") ==
        R"({"<ignored>":2,"selector":"Button"})");
  CHECK(recorded("click_element", R"({"_text":"s3cret","_s3cret":1,"selector":"Button"})") ==
        R"({"selector":"Button"})");
  CHECK(recorded("click_at", R"({"x":"12","y":"s3cret"})") == R"({"x":"12","y":"<redacted>"})");
  CHECK(recorded("wait_for",
                 R"({"any_of":[{"type":"text_visible","regex":"a","value":"s3cret"}]})") ==
        R"({"any_of":[{"<ignored>":1,"regex":"a","type":"text_visible"}]})");
  CHECK(recorded("wait_for", R"({"any_of":"[{\"regex\":\"a\",\"s3cret\":2}]"})") ==
        R"({"any_of":[{"<ignored>":1,"regex":"a"}]})");
  CHECK(recorded("wait_for", R"({"any_of":"s3cret"})") == R"({"any_of":"<redacted>"})");
  CHECK(recorded("wait_for", R"({"any_of":["s3cret",{"regex":["s3cret"]}]})") ==
        R"({"any_of":["<redacted>",{"regex":"<redacted>"}]})");
  CHECK(recorded("drag", R"({"from":{"x":1,"y":2,"s3cret":0},"to":"s3cret"})") ==
        R"({"from":{"<ignored>":1,"x":1,"y":2},"to":"<redacted>"})");
  CHECK(recorded("propose_action",
                 R"({"action":"click_element","args":{"selector":"Button","valeu":"s3cret"}})") ==
        R"({"action":"click_element","args":{"<ignored>":1,"selector":"Button"}})");
  CHECK(recorded("propose_action", R"({"action":"s3cret_no_tool","args":{"selector":"s3cret"}})") ==
        R"({"action":"<redacted>","args":{"<ignored>":1}})");
  CHECK(recorded("wait_for", R"({"any_of":[{"type":"s3cret"}]})") ==
        R"({"any_of":[{"type":"<redacted>"}]})");
  CHECK(recorded("nope", R"({"s3cret":"s3cret"})") == R"({"<ignored>":1})");
  CHECK(recorded("nope", "[broken") == "{}");
  // What is expected of an element may be told where the element may be read.
  const std::string two = R"({"predicates":[{"kind":"value_equals","expected":"a"},)"
                          R"({"type":"value_equals","expected":"s3cret","regex":"s3cret"}]})";
  CHECK(recorded("assert_state", two, {"predicates[0]"}) ==
        R"({"predicates":[{"expected":"a","kind":"value_equals"},)"
        R"({"<ignored>":1,"expected":"<redacted>","regex":"<redacted>"}]})");
  CHECK(recorded("assert_state", two).find(R"("a")") == std::string::npos);
}

TEST_CASE("a record has no value by which an element was looked for and not found") {
  const auto recorded = [](std::string_view tool, const std::string& args, bool found,
                           const std::vector<std::string>& readable = {}) {
    const json::value out = json::parse(recordable_args(find_tool(tool), args, readable, found));
    return json::serialize(out);
  };
  const std::string field = R"({"selector":"//Edit[value=\"s3cret\"]"})";
  const std::string hidden = R"({"selector":"//Edit[value=\"<redacted>\"]"})";
  CHECK(recorded("click_element", field, true) == field);
  CHECK(recorded("click_element", field, false) == hidden);
  for (const char* selector :
       {R"(Window[name="Login"]/Edit[value~="^s3.*$"][index=1])", R"(Edit[ value *= 's3cret' ]/*)",
        R"("Edit"[value="s3\"cret"])", R"(Edit[valeu="s3cret"] > Text)", "Edit[value=4711]"}) {
    INFO(selector);
    const json::object args{{"selector", selector}};
    const std::string out = recorded("find_element", json::serialize(args), false);
    CHECK(out.find("s3") == std::string::npos);
    CHECK(out.find("4711") == std::string::npos);
    CHECK(out.find("<redacted>") != std::string::npos);
    CHECK(out.find("Edit") != std::string::npos);
  }
  for (const char* unreadable : {R"(Edit[value="s3cret)", R"(//Edit value="s3cret")",
                                 R"(Edit:value("s3cret"))", "Edit value=s3cret"}) {
    INFO(unreadable);
    const json::object args{{"selector", unreadable}};
    CHECK(recorded("find_element", json::serialize(args), false) == R"({"selector":"<redacted>"})");
  }
  // What means nothing is told never, also beside what was found.
  const char* const passed_over =
      R"(Edit:nth-of-type(1):not([value="s3c)ret"]):text("User") > Text)";
  for (const bool found : {true, false}) {
    const json::object args{{"selector", passed_over}};
    CHECK(recorded("find_element", json::serialize(args), found) ==
          R"({"selector":"Edit:nth-of-type(1):not(\"<redacted>\"):text(\"User\") > Text"})");
  }
  CHECK(recorded("click_element", R"({"element_id":"root.0.1"})", false) ==
        R"({"element_id":"root.0.1"})");
  CHECK(recorded("find_element", R"({"selector":"Edit[name=\"User\"]"})", false) ==
        R"({"selector":"Edit[name=\"User\"]"})");
  // The id beside it may have been what found something.
  CHECK(recorded("click_element", R"({"element_id":"e","selector":"Edit[value=\"s3cret\"]"})",
                 true) == R"({"element_id":"e","selector":"Edit[value=\"<redacted>\"]"})");
  CHECK(recorded("click_element", R"({"element_id":"Edit[value=\"s3cret\"]"})", false) ==
        R"({"element_id":"Edit[value=\"<redacted>\"]"})");
  CHECK(recorded("drag", R"({"from":{"selector":"Edit[value=\"s3cret\"]"},"to":{"x":1}})", false)
            .find("s3cret") == std::string::npos);
  CHECK(recorded("propose_action",
                 R"({"action":"click_element","args":{"selector":"Edit[value=\"s3cret\"]"}})",
                 false)
            .find("s3cret") == std::string::npos);
  const std::string two = R"({"any_of":[{"selector":"Edit[value=\"s3cret\"]"},)"
                          R"({"selector":"Edit[value=\"Ann\"]"}]})";
  CHECK(recorded("wait_for", two, true, {"any_of[1].selector"}) ==
        R"({"any_of":[{"selector":"Edit[value=\"<redacted>\"]"},)"
        R"({"selector":"Edit[value=\"Ann\"]"}]})");
}

}  // namespace
}  // namespace gantry::observation
