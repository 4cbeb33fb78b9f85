// SPDX-License-Identifier: Apache-2.0
// What failures of the observer's tools teach.
#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "answer_schemas.hpp"
#include "observer_answer.hpp"
#include "observer_arguments.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

/// What a failed call answers, as JSON.
json::value taught(const char* tool, const char* arguments, const char* code,
                   const char* context = "{}") {
  ToolCallRequest request;
  request.name = tool;
  request.arguments = Json(arguments);
  ObserverToolResult failed;
  failed.ok = false;
  failed.error_code = code;
  failed.result = Json(std::string(R"({"ok":false,"error":{"code":")") + code + R"(","context":)" +
                       context + "}}");
  const Takes takes = [](std::string_view, std::string_view argument) { return argument != "y"; };
  const ToolResult result = observer_answer(failed, request, takes);
  CHECK(result.is_error);
  CHECK(result.content.front().text == result.structured->text);
  return json::parse(result.structured->text);
}

std::string next_of(const json::value& answer) {
  const json::value* next = answer.as_object().if_contains("next_call");
  if (next == nullptr) return "none";
  CHECK_FALSE(next->at("then").as_string().empty());
  return std::string(next->at("tool").as_string()) + ' ' + json::serialize(next->at("arguments"));
}

TEST_CASE("a failure names the next call, with what the failed one said that it takes too") {
  struct Row {
    const char* tool;
    const char* arguments;
    const char* code;
    const char* context;
    const char* next;
  };
  constexpr const char* kWindow = R"({"window_uid":"w:1"})";
  for (const Row& row : std::initializer_list<Row>{
           {"click_element", R"({"selector":"//A","window_uid":"w:1"})", "ElementNotFound", "{}",
            R"(observe_window {"window_uid":"w:1","format":"lines"})"},
           {"click_element", R"({"selector":"//A","window_index":2})", "ElementNotFound", "{}",
            R"(observe_window {"window_index":2,"format":"lines"})"},
           {"click_element", R"({"selector":"//A","window_index":2})", "ElementNotFound", kWindow,
            R"(observe_window {"window_uid":"w:1","format":"lines"})"},
           {"find_element", R"({"selector":"//A"})", "WindowGone", "{}", "list_windows {}"},
           {"snapshot_get", R"({"snapshot_id":"s"})", "SnapshotExpired", "{}", "snapshot {}"},
           {"click_element", R"({"element_id":"root.0","tree_token":"tt:0"})", "SnapshotExpired",
            kWindow, R"(observe_window {"window_uid":"w:1","format":"lines"})"},
           {"invoke_element", R"({"selector":"//A","y":1})", "PatternUnsupported", kWindow,
            R"(click_element {"window_uid":"w:1","selector":"//A"})"},
           {"click_element", R"({"selector":"//A"})", "ElementOccluded", kWindow,
            R"(bring_to_foreground {"window_uid":"w:1"})"},
           {"click_element", R"({"selector":"//A"})", "ElementDisabled", kWindow,
            R"(wait_for {"window_uid":"w:1","any_of":[{"type":"element_appears",)"
            R"("selector":"//A[enabled=true]"}]})"},
           {"click_element", R"({"element_id":"root.0"})", "ElementDisabled", kWindow,
            R"(wait_idle {"window_uid":"w:1"})"},
           {"click_element", R"({"selector":"//A","confirm_token":"ct:0"})", "ConfirmationInvalid",
            "{}", R"(propose_action {"action":"click_element","args":{"selector":"//A"}})"},
           {"get_window_structure", R"({"depth":"x"})", "BadRequest", "{}", "none"},
           {"load_scenario", R"({"path":"a.yaml"})", "ScenarioInvalid", "{}", "none"},
           {"list_windows", "{}", "WindowGone", "{}", "none"},
           {"get_capabilities", "{}", "PlatformUnsupported", "{}", "none"},
           {"click_element", R"({"selector":"//A"})", "PatternUnsupported", "{}", "none"},
           {"select_option", R"({"selector":"//A","option_name":"Wlsh"})", "ElementNotFound",
            R"({"did_you_mean":[{"option_name":"Welsh"}]})",
            R"(select_option {"selector":"//A","option_name":"Welsh"})"},
           {"get_ocr", "{}", "PlatformUnsupported", "{}", "get_capabilities {}"},
           {"type_text", R"({"text":"a"})", "RateLimited", "{}", "get_budget_status {}"},
           {"click_element", R"({"selector":"//A"})", "PermissionDenied", "{}", "none"}}) {
    INFO(row.tool << ' ' << row.code);
    CHECK(next_of(taught(row.tool, row.arguments, row.code, row.context)) == row.next);
  }
}

TEST_CASE("a wait that cannot end is not proposed as another look at the window") {
  ToolCallRequest request;
  request.name = "wait_for";
  request.arguments = Json(R"({"any_of":[{"type":"element_appears","selector":"A["}]})");
  json::object answer{{"warnings", json::array{"condition 0 can never be met: column 2"}}};
  teach(answer, "Timeout", request, [](auto, auto) { return true; });
  CHECK(answer.if_contains("next_call") == nullptr);
  CHECK(answer.at("hint").as_string().find("warnings") != std::string::npos);
}

TEST_CASE("a wait for a window that never came is followed by a look at those that are there") {
  ToolCallRequest request;
  request.name = "wait_for";
  request.arguments = Json(R"({"any_of":[],"window_title":"Terminla"})");
  const json::array windows{json::object{{"window_uid", "t:1"}, {"title", "Terminal"}}};
  json::object answer{{"error", {{"context", {{"did_you_mean", windows}}}}}};
  teach(answer, "Timeout", request, [](auto, auto) { return true; });
  CHECK(answer.at("near_matches") == windows);
  CHECK(answer.at("next_call").at("tool") == "list_windows");
}

TEST_CASE("a question names the element and what would be done with it, but no password") {
  CHECK(confirmation_question("click_element", R"({"selector":"Button","window_index":0})",
                              R"(Window[name="W"]/Button[name="Delete"])", false) ==
        R"(May the assistant run click_element on this element? )"
        R"(Window[name="W"]/Button[name="Delete"])");
  CHECK(confirmation_question("set_value", R"({"value":"mira","element_id":"root.0"})", "Edit",
                              false) ==
        R"(May the assistant run set_value with {"value":"mira"} on this element? Edit)");
  CHECK(confirmation_question("press_key", R"({"keys":"ctrl+w"})", "", false) ==
        R"(May the assistant run press_key with {"keys":"ctrl+w"}?)");
  // Roles and names do not tell: the engine does.
  for (const char* field :
       {R"(Window[name="Login"]/Password[name="Password"])", "Window/Edit", ""}) {
    for (const char* arguments : {R"({"value":"hunter2"})", R"({"text":"hunter2"})",
                                  R"({"keys":"hunter2"})", R"({"option_name":"hunter2"})"}) {
      INFO(field << ' ' << arguments);
      const std::string secret = confirmation_question("set_value", arguments, field, true);
      CHECK(secret.find("hunter2") == std::string::npos);
      CHECK(secret.find("password field") != std::string::npos);
    }
  }
  const std::string typed = confirmation_question(
      "type_text", R"({"text":")" + std::string(299, 'x') + "éé\"}", "", false);
  CHECK(typed.ends_with("x…?"));
}

TEST_CASE("near matches are told once, and the next call looks at the nearest") {
  const json::value answer =
      taught("click_element", R"({"selector":"//Buton"})", "ElementNotFound",
             R"({"window_uid":"w:1","did_you_mean":[{"selector":"//Button","name":"OK"}]})");
  CHECK(answer.at("near_matches").at(0).at("name") == "OK");
  CHECK(answer.at("error").at("context").as_object().if_contains("did_you_mean") == nullptr);
  CHECK(next_of(answer) == R"(find_element {"window_uid":"w:1","selector":"//Button"})");
}

TEST_CASE("pictures are asked for in a size that models take, unless the call says another") {
  const PictureSettings pictures{1568, 600'000};
  CHECK(with_picture_size(R"({"window_index":0})", pictures, "auto") ==
        R"({"window_index":0,"max_edge":1568,"max_image_bytes":600000,"image_format":"auto"})");
  CHECK(with_picture_size(R"({"max_edge":0,"image_format":"png"})", pictures, "auto") ==
        R"({"max_edge":0,"image_format":"png","max_image_bytes":600000})");
  CHECK(with_picture_size("[1]", pictures, "auto") == "[1]");
}

TEST_CASE("a schema names the members of a success, and what any answer may carry") {
  const json::value schema = json::parse(answer_schema("list_windows"));
  CHECK(schema.at("properties").at("windows").at("items").at("properties").at("pid") ==
        json::parse(R"({"type":"integer"})"));
  CHECK(json::serialize(schema.at("then").at("required")) == R"(["count","windows","is_mock"])");
  CHECK(schema.at("properties").at("next_call").at("type") == "object");
  const json::value crop = json::parse(answer_schema("get_screenshot_cropped"));
  const json::value& bounds = crop.at("properties").at("bounds");  // the four are alike
  CHECK(bounds.at("additionalProperties").at("type") == "integer");
  CHECK(bounds.at("required").as_array().size() == 4);
  CHECK(json::parse(answer_schema("nothing")).at("then").at("required").as_array().empty());
}

}  // namespace
}  // namespace gantry::mcp
