// SPDX-License-Identifier: Apache-2.0
// What a call that was refused for its arguments may have meant, and that no failure leads to the
// same call again.
#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "argument_lesson.hpp"
#include "observer_teaching.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

std::string next_after(const json::object& answer) {
  const json::value* next = answer.if_contains("next_call");
  if (next == nullptr) return "none";
  CHECK_FALSE(next->at("then").as_string().empty());
  return std::string(next->at("tool").as_string()) + ' ' + json::serialize(next->at("arguments"));
}

class FewTools final : public ToolSchemas {
 public:
  [[nodiscard]] std::vector<std::string> tools() const override {
    return {"click_element", "find_element", "press_key", "propose_action", "get_ocr", "wait_for"};
  }
  [[nodiscard]] json::object schema(std::string_view tool) const override {
    json::object properties;
    for (const std::string& name : names(tool)) properties[name] = json::object();
    if (tool == "click_element") {
      properties["button"] = json::object{{"enum", json::array{"left", "right", "middle"}}};
    }
    if (properties.empty()) return {};
    return {{"properties", std::move(properties)}};
  }

 private:
  [[nodiscard]] static std::vector<std::string> names(std::string_view tool) {
    if (tool == "click_element") return {"selector", "element_id", "window_uid"};
    if (tool == "press_key") return {"keys", "dry_run"};
    if (tool == "set_value") return {"selector", "value", "dry_run"};
    if (tool == "scroll") return {"x", "y", "clicks"};
    if (tool == "list_windows" || tool == "trace_status") return {"none"};
    if (tool == "replay_status" || tool == "replay_step") return {"replay_id"};
    if (tool == "propose_action") return {"action", "args"};
    if (tool == "get_ocr") return {"mode", "window_uid"};
    if (tool == "observe_window") return {"window_uid", "window_title", "format"};
    return tool == "wait_for" ? std::vector<std::string>{"any_of", "timeout_ms"}
                              : std::vector<std::string>();
  }
};

/// What a refusal with `message` becomes for whoever made that call.
json::object refused_call(const char* tool, const char* arguments, const char* message) {
  ToolCallRequest request;
  request.name = tool;
  request.arguments = Json(arguments);
  json::object answer{{"error", json::object{{"message", message}}}};
  const FewTools tools;
  teach(answer, "BadRequest", request, {}, &tools);
  return answer;
}

TEST_CASE("a refusal of arguments says which were meant, and does not repeat the same call") {
  struct Row {
    const char* tool;
    const char* arguments;
    const char* message;
    const char* next;
    const char* near;
    const char* ignored;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"press_key", R"({"key":"a"})", "keys is required", R"(press_key {"keys":"a"})",
            R"([{"argument":"keys","instead_of":"key"}])", R"(["key"])"},
           // The second one does not take what the first one was given as.
           {"press_key", R"({"key":"a","kes":"b"})", "keys is required",
            R"(press_key {"kes":"b","keys":"a"})", R"([{"argument":"keys","instead_of":"key"}])",
            R"(["key","kes"])"},
           // Two may be meant: the refusal says which one is wanted.
           {"click_element", R"({"id":"root.0"})", "either element_id or selector is required",
            R"(click_element {"element_id":"root.0"})",
            R"([{"argument":"element_id","instead_of":"id"},)"
            R"({"argument":"window_uid","instead_of":"id"}])",
            R"(["id"])"},
           // Both are named, none is chosen.
           {"click_element", R"({"i":"root.0"})", "there is something else wrong", "none",
            R"([{"argument":"element_id","instead_of":"i"},)"
            R"({"argument":"window_uid","instead_of":"i"}])",
            R"(["i"])"},
           {"set_value", R"({"selector":"//A","text":"x"})", "value is required",
            R"(set_value {"selector":"//A","value":"x"})",
            R"([{"argument":"value","instead_of":"text"}])", R"(["text"])"},
           {"set_value", R"({"selector":"//A","q":"x"})", "value is required",
            R"(set_value {"selector":"//A","value":"x"})",
            R"([{"argument":"value","instead_of":"q"}])", R"(["q"])"},
           {"set_value", R"({"selector":"//A","q":"x","z":1})", "value is required", "none", "none",
            R"(["q","z"])"},
           {"click_element", R"({"window_uid":"w"})", "either element_id or selector is required",
            R"(observe_window {"window_uid":"w","format":"lines"})", "none", "none"},
           {"click_element", R"({"selector":"//A","button":"rigth"})",
            "button must be left, right or middle, found 'rigth'",
            R"(click_element {"selector":"//A","button":"right"})",
            R"([{"argument":"button","value":"right"}])", "none"},
           {"click_element", R"({"selector":"//A","button":"third"})",
            "button must be left, right or middle, found 'third'", "none",
            R"([{"argument":"button","value":"left"},{"argument":"button","value":"right"},)"
            R"({"argument":"button","value":"middle"}])",
            "none"},
           {"scroll", R"({"clicks":-900})", "clicks must be from -100 to 100, found -900",
            R"(scroll {"clicks":-100})", "none", "none"},
           {"scroll", R"({"clicks":"many"})", "clicks must be an integer, found 'many'", "none",
            "none", "none"},
           {"press_key", R"({"keys":"ctrl+entr"})",
            "there is no key named 'entr' (in 'ctrl+entr'); near to it: enter, end",
            R"(press_key {"keys":"ctrl+enter"})",
            R"([{"argument":"keys","value":"enter"},{"argument":"keys","value":"end"}])", "none"},
           {"wait_for", R"({"any_of":[{"type":"element_apears","selector":"//A"}]})",
            "any_of[0] has the unknown type 'element_apears'; there are element_appears, "
            "element_disappears, text_visible",
            R"(wait_for {"any_of":[{"type":"element_appears","selector":"//A"}]})",
            R"([{"argument":"any_of","value":"element_appears"},)"
            R"({"argument":"any_of","value":"element_disappears"}])",
            "none"},
           {"wait_for", R"({"any_of":[{"type":"window_appears","title":"T"}]})",
            "any_of[0] has the unknown member 'title'; window_appears takes title_regex",
            R"(wait_for {"any_of":[{"type":"window_appears","title_regex":"T"}]})",
            R"([{"argument":"any_of","value":"title_regex"}])", "none"},
           {"wait_for", R"({"any_of":[{"type":"x"}]})", "any_of[7] has the unknown type 'x'; there",
            "none", "none", "none"},
           {"propose_action", R"({"action":"press_key","args":{"keys":"a"}})",
            "this action needs no confirmation", R"(press_key {"keys":"a"})", "none", "none"},
           {"trace_status", "{}", "no active trace", "none", "none", "none"},
           {"replay_step", R"({"replay_id":"rep:1"})", "a step of this replay is still running",
            R"(replay_status {"replay_id":"rep:1"})", "none", "none"},
           {"wait_for", R"({"selector":"//A","timeout_ms":5})", "any_of is required",
            R"(wait_for {"timeout_ms":5,"any_of":[{"type":"element_appears","selector":"//A"}]})",
            "none", R"(["selector"])"},
           {"propose_action", R"({"action":"clik_element"})", "unknown action",
            R"(propose_action {"action":"click_element"})",
            R"([{"action":"click_element"},{"action":"find_element"}])", "none"},
           {"get_ocr", "{}", "window_uid or window_index is required", "list_windows {}", "none",
            "none"},
           {"press_key", R"({"keys":"Foo"})",
            "there is no key named 'Foo'; use names like enter, escape", "none", "none", "none"}}) {
    INFO(row.tool << ' ' << row.arguments);
    const json::object answer = refused_call(row.tool, row.arguments, row.message);
    const auto text = [&](const char* name) {
      const json::value* found = answer.if_contains(name);
      return found == nullptr ? std::string("none") : json::serialize(*found);
    };
    CHECK(next_after(answer) == row.next);
    CHECK((answer.if_contains("hint") == nullptr) == (answer.if_contains("next_call") != nullptr));
    CHECK(text("near_matches") == row.near);
    CHECK(text("ignored_arguments") == row.ignored);
  }
}

TEST_CASE("a selector that cannot be read is followed by a look for one that can") {
  struct Row {
    const char* tool;
    const char* arguments;
    const char* message;
    const char* next;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"click_element", R"({"selector":"A[","window_uid":"w","value":"x"})",
            "selector parse error: column 3: …",
            R"(observe_window {"window_uid":"w","format":"lines"})"},
           {"wait_for", R"({"any_of":[{"type":"element_appears","selector":"A["}]})",
            "any_of[0]: selector parse error: column 3: …", R"(observe_window {"format":"lines"})"},
           {"propose_action",
            R"({"action":"click_element","args":{"selector":"A[","window_title":"T"}})",
            "selector parse error: column 3: …",
            R"(observe_window {"window_title":"T","format":"lines"})"}}) {
    INFO(row.tool << ' ' << row.arguments);
    const json::object answer = refused_call(row.tool, row.arguments, row.message);
    CHECK(next_after(answer) == row.next);
    CHECK(answer.at("next_call").at("then").as_string().find("//Button") != std::string::npos);
  }
}

TEST_CASE("of many wrong arguments some are taught, and the next call has no others") {
  json::object given{{"selector", "//A"}};
  for (int i = 0; i < 1000; ++i) given["wrong" + std::to_string(i)] = i;
  const ArgumentLesson lesson =
      argument_lesson("click_element", given, "selector is wrong", FewTools());
  CHECK(lesson.ignored.size() == 20);
  CHECK(lesson.near.size() <= 60);
  CHECK(lesson.arguments.size() == 21);
  CHECK(lesson.arguments.at("selector") == "//A");
}

TEST_CASE("no failure is followed by the very call that failed, unless it passes by itself") {
  const FewTools tools;
  const char* const kCodes[] = {"ElementNotFound",
                                "WindowGone",
                                "SnapshotExpired",
                                "PermissionDenied",
                                "ConfirmationRequired",
                                "ConfirmationInvalid",
                                "ConfirmationDeclined",
                                "RateLimited",
                                "BudgetExceeded",
                                "BadRequest",
                                "ScenarioInvalid",
                                "PlatformUnsupported",
                                "PredicateUnsupported",
                                "PatternUnsupported",
                                "Timeout",
                                "ElementOccluded",
                                "ElementDisabled",
                                "WindowOccluded",
                                "Internal"};
  const char* const kNames[] = {
      "list_windows", "observe_window", "find_element",     "click_element", "bring_to_foreground",
      "wait_for",     "wait_idle",      "propose_action",   "press_key",     "set_value",
      "snapshot",     "scroll",         "get_capabilities", "trace_status",  "get_budget_status"};
  const char* const kArguments[] = {
      "{}",
      R"({"window_uid":"w:1"})",
      R"({"window_uid":"w:1","format":"lines"})",
      R"({"window_uid":"w:1","selector":"//B"})",
      R"({"window_uid":"w:1","any_of":[{"type":"element_appears","selector":"//A[enabled=true]"}]})",
      R"({"text":"x"})",
      R"({"keys":"Foo","clicks":900,"button":"x"})",
      R"({"action":"press_key","args":{"keys":"a"}})"};
  const char* const kMessages[] = {"value is required",
                                   "either element_id or selector is required",
                                   "window_uid or window_index is required",
                                   "selector parse error: column 3",
                                   "there is no key named 'Foo'",
                                   "no active trace",
                                   "this action needs no confirmation",
                                   "clicks must be from -100 to 100, found 900",
                                   "nothing that is known"};
  const Takes takes = [](std::string_view, std::string_view) { return true; };
  std::size_t next_calls = 0;
  for (const char* code : kCodes) {
    const bool passes = code == std::string("Timeout") || code == std::string("RateLimited");
    for (const char* tool : kNames) {
      for (const char* arguments : kArguments) {
        for (const char* message : kMessages) {
          ToolCallRequest request;
          request.name = tool;
          request.arguments = Json(arguments);
          json::object context{{"window_uid", "w:1"},
                               {"did_you_mean", json::array{{{"selector", "//B"}}}}};
          json::object answer{{"error", {{"message", message}, {"context", context}}}};
          teach(answer, code, request, takes, &tools);
          const json::value* next = answer.if_contains("next_call");
          if (next == nullptr) continue;
          ++next_calls;
          INFO(code << ' ' << tool << ' ' << arguments << ": " << message);
          CHECK((passes || next->at("tool") != tool ||
                 next->at("arguments") != json::parse(arguments)));
        }
      }
    }
  }
  CHECK(next_calls > 1000);
}

}  // namespace
}  // namespace gantry::mcp
