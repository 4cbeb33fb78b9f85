// SPDX-License-Identifier: Apache-2.0
// Every form of the tools' arguments, against doubles of the observer and the guard.
#include <catch2/catch.hpp>
#include <gantry/llm/json.hpp>

#include "world.hpp"

using namespace gantry;
using namespace gantry::desk::tests;
using namespace std::chrono_literals;

namespace {

constexpr const char* kSave =
    R"({"ok":true,"window_uid":"w:1","total_matches":1,"all_matches":[{"element_id":"root.1",)"
    R"("role":"Button","name":"Save","bounds":{"x":10,"y":20,"width":30,"height":10}}]})";
constexpr const char* kTwoSaves =
    R"({"ok":true,"window_uid":"w:1","total_matches":2,"all_matches":[{"element_id":"root.1",)"
    R"("role":"Button","name":"Save","bounds":{"x":10,"y":20,"width":30,"height":10}},)"
    R"({"element_id":"root.7","role":"Button","name":"Save","bounds":{"x":10,"y":80,)"
    R"("width":30,"height":10}}]})";
constexpr const char* kWords =
    R"({"ok":true,"words":[{"text":"Save","line":1,"bounds":{"x":10,"y":20,"width":30,)"
    R"("height":10}},{"text":"now","line":1,"bounds":{"x":50,"y":20,"width":20,"height":10}}]})";

/// Answers by tool; everything else is a confirmed act.
ObserverAnswer answers(std::map<std::string, std::string> by_tool) {
  return [by_tool = std::move(by_tool)](
             const ObserverToolRequest& request) -> std::optional<std::string> {
    const auto found = by_tool.find(request.tool);
    if (found != by_tool.end()) return found->second;
    return R"({"ok":true,"effect":"confirmed","route":"test","evidence":"it was seen"})";
  };
}

std::string none_called_so() {
  return observer_error("ElementNotFound", "no element matches", R"({"window_uid":"w:1"})");
}

/// The last request to the observer.
std::string last(const World& world) {
  REQUIRE_FALSE(world.requests.empty());
  return world.requests.back().tool + ' ' + world.requests.back().arguments.text;
}

}  // namespace

TEST_CASE("each form of a call becomes one act of the observer") {
  struct Case {
    const char* tool;
    const char* arguments;
    const char* act;
  };
  for (const Case& one : std::vector<Case>{
           {"mouse_control", R"({"action":"click","x":3,"y":4})", R"(click_at {"x":3,"y":4})"},
           {"mouse_control", R"({"action":"click","x":3,"y":4,"button":"middle"})",
            R"(click_at {"x":3,"y":4,"button":"middle"})"},
           {"mouse_control", R"({"action":"click","x":3,"y":4,"button":"right"})",
            R"(right_click_at {"x":3,"y":4})"},
           {"mouse_control",
            R"({"action":"double_click","find_coordinates_by":"manual","x":3,"y":4})",
            R"(double_click_at {"x":3,"y":4})"},
           {"mouse_control", R"({"action":"move","x":-3,"y":4})", R"(hover_at {"x":-3,"y":4})"},
           {"mouse_control", R"({"action":"click","element_id":"root.2","window_title":"Pad"})",
            R"(click_element {"element_id":"root.2","window_title":"Pad"})"},
           {"mouse_control", R"({"action":"right_click","element_id":"root.2","window_uid":"w:9"})",
            R"(right_click_element {"element_id":"root.2","window_uid":"w:9"})"},
           {"mouse_control", R"({"action":"click","element_id":"e","button":"middle"})",
            R"(click_element {"element_id":"e","button":"middle"})"},
           {"mouse_control", R"({"action":"double_click","ocr_text":"save"})",
            R"(double_click_element {"element_id":"root.1","window_uid":"w:1"})"},
           {"mouse_control", R"({"action":"move","source_description":"the Save button"})",
            R"(hover_element {"element_id":"root.1","window_uid":"w:1"})"},
           {"mouse_control",
            R"({"action":"drag","x":1,"y":2,"drag_to_x":3,"drag_to_y":4,"duration":2})",
            R"(drag {"from":{"x":1,"y":2},"to":{"x":3,"y":4},"duration_s":2.0})"},
           {"mouse_control", R"({"action":"drag","x":1,"y":2,"drag_to_ocr_text":"Save"})",
            R"(drag {"from":{"x":1,"y":2},"to":{"element_id":"root.1"},"window_uid":"w:1"})"},
           {"scroll_control", R"({"action":"scroll_down"})", R"(scroll {"clicks":-3})"},
           {"scroll_control", R"({"action":"scroll_up","clicks":5})", R"(scroll {"clicks":5})"},
           {"scroll_control", R"({"action":"scroll","direction":"down","clicks":4})",
            R"(scroll {"clicks":-4})"},
           {"scroll_control", R"({"action":"scroll","clicks":2,"x":7,"y":8})",
            R"(scroll {"clicks":2,"x":7,"y":8})"},
           {"keyboard_control", R"({"action":"type","text":"hi \u00fc"})",
            R"(type_text {"text":"hi ü"})"},
           {"keyboard_control", R"({"action":"press","key":"Enter"})",
            R"(press_key {"keys":"enter"})"},
           {"keyboard_control", R"({"action":"hotkey","keys":"Ctrl + S"})",
            R"(press_key {"keys":"ctrl+s"})"},
           {"keyboard_control", R"({"action":"hotkey","keys":["ctrl","shift","n"]})",
            R"(press_key {"keys":"ctrl+shift+n"})"},
           {"keyboard_control", R"({"action":"paste","text":"long"})",
            R"(press_key {"keys":"ctrl+v"})"},
           {"switch_window", R"({"window_uid":"w:2"})",
            R"(bring_to_foreground {"window_uid":"w:2"})"},
       }) {
    INFO(one.tool << ' ' << one.arguments);
    World world;
    world.observer = answers({{"find_element", kSave}});
    const auto result = world.run(one.tool, one.arguments);
    REQUIRE(result);
    CHECK(last(world) == one.act);
    CHECK_FALSE(result->is_error);
    CHECK(has(world.text(), R"("effect":"confirmed")"));
    CHECK(has(world.text(), R"("route":"test")"));
    CHECK(has(world.text(), R"("evidence":"it was seen")"));
    const bool by_name = has(one.arguments, "ocr_text") || has(one.arguments, "description");
    CHECK(has(world.text(), R"("source":"tree")") == (by_name && !has(one.act, "drag")));
  }
}

TEST_CASE("arguments that say nothing to act on are refused before anything is asked") {
  for (const auto& [tool, arguments] : std::vector<std::pair<const char*, const char*>>{
           {"mouse_control", "{}"},
           {"mouse_control", R"({"action":"fly"})"},
           {"mouse_control", R"({"action":"click"})"},
           {"mouse_control", R"({"action":"click","x":1})"},
           {"mouse_control", R"({"action":"click","y":1})"},
           {"mouse_control", R"({"action":"click","x":1.5,"y":1})"},
           {"mouse_control", R"({"action":"click","x":1,"y":1,"why":"?"})"},
           {"mouse_control", R"({"action":"click","find_coordinates_by":"ocr","x":1,"y":1})"},
           {"mouse_control", R"({"action":"drag","x":1,"y":1})"},
           {"scroll_control", R"({"action":"scroll","clicks":1000})"},
           {"keyboard_control", R"({"action":"type"})"},
           {"keyboard_control", R"({"action":"press"})"},
           {"switch_window", "{}"},
           {"wait", "{}"},
           {"wait", R"({"seconds":100})"},
           {"open_app", R"({"command":"  "})"},
           {"write_clipboard", "{}"},
       }) {
    INFO(tool << ' ' << arguments);
    World world;
    const auto result = world.run(tool, arguments);
    REQUIRE(result);
    CHECK(result->is_error);
    CHECK(world.requests.empty());
    CHECK(world.launches.empty());
  }
}

TEST_CASE("a name that fits several is refused with candidates, and one of them can be chosen") {
  World world;
  world.observer = answers({{"find_element", kTwoSaves}});
  auto result = world.run("mouse_control", R"({"action":"click","ocr_text":"Save"})");
  REQUIRE(result);
  CHECK(result->is_error);
  CHECK(has(world.text(), "AmbiguousTarget"));
  CHECK(world.requests.size() == 1);
  const auto answer = llm::parse_or_null(world.text());
  const std::string second(
      answer.at_pointer("/error/context/candidates/1/candidate_id").as_string().c_str());

  world.session = "somebody else";
  (void)world.run("mouse_control", R"({"action":"click","candidate_id":")" + second + "\"}");
  CHECK(has(world.text(), "frame changed, re-ground required"));
  world.session = "s1";
  (void)world.run("mouse_control", R"({"action":"click","candidate_id":")" + second + "\"}");
  CHECK(last(world) == R"(click_element {"element_id":"root.7","window_uid":"w:1"})");

  (void)world.run("mouse_control", R"({"action":"click","ocr_text":"Save"})");
  (void)world.run("mouse_control", R"({"action":"click","candidate_id":")" + second + "\"}");
  CHECK(has(world.text(), "frame changed, re-ground required"));
}

TEST_CASE("what no element is called is read from the picture, or said to be missing") {
  World world;
  world.observer = answers({{"find_element", none_called_so()}, {"get_ocr", kWords}});
  (void)world.run("mouse_control", R"({"action":"click","ocr_text":"save now"})");
  CHECK(last(world) == R"(click_at {"x":40,"y":25,"window_uid":"w:1"})");
  CHECK(has(world.text(), R"("coordinate_method":"ocr","source":"ocr")"));
  (void)world.run("mouse_control", R"({"action":"click","ocr_text":"print"})");
  CHECK(has(world.text(), "the picture has no such words"));
  world.observer = answers({{"find_element", none_called_so()},
                            {"get_ocr", observer_error("PlatformUnsupported", "no recogniser")}});
  (void)world.run("mouse_control", R"({"action":"click","ocr_text":"print"})");
  CHECK(has(world.text(), "no recogniser"));
  CHECK(world.finished()->is_error);
}

TEST_CASE("a failure of the observer is told as it came") {
  World world;
  world.observer = answers({{"click_at", observer_error("PermissionDenied", "a rule forbids it")}});
  const auto result = world.run("mouse_control", R"({"action":"click","x":1,"y":2})");
  REQUIRE(result);
  CHECK(result->is_error);
  CHECK(has(world.text(), R"("code":"PermissionDenied","message":"a rule forbids it")"));
}

TEST_CASE("where the guard wants a confirmation the user is asked, and the act carries the token") {
  World world;
  world.observer = [](const ObserverToolRequest& request) -> std::optional<std::string> {
    if (request.tool == "propose_action") return R"({"ok":true,"confirm_token":"ct:1"})";
    if (has(request.arguments.text, "ct:1")) return R"({"ok":true,"effect":"confirmed"})";
    return observer_error("ConfirmationRequired", "it needs a token");
  };
  SECTION("nobody can be asked") {
    (void)world.run("mouse_control", R"({"action":"click","x":1,"y":2})");
    CHECK(has(world.text(), "nobody can be asked"));
    CHECK(world.requests.size() == 1);
  }
  world.client.elicit_form = true;
  const auto answer = [&](const char* words) {
    world.begin("mouse_control", R"({"action":"click","x":1,"y":2})");
    REQUIRE(world.stream->all().size() == 1);
    REQUIRE(world.stream->all().front().asks.size() == 1);
    (void)world.stream->stream().send(
        {world.stream->all().front().asks.front().id, Json(words), {}});
    world.kit.pump();
  };
  SECTION("the user says yes") {
    answer(R"({"action":"accept","content":{"allow":true}})");
    CHECK(has(world.text(), "confirmed"));
    CHECK(has(world.requests[1].arguments.text, R"({"action":"click_at","args":{"x":1,"y":2}})"));
    CHECK(last(world) == R"(click_at {"x":1,"y":2,"confirm_token":"ct:1"})");
  }
  SECTION("the user says no, in three ways") {
    for (const char* no : {R"({"action":"accept","content":{"allow":false}})",
                           R"({"action":"decline"})", R"({"action":"cancel"})"}) {
      world.requests.clear();
      answer(no);
      CHECK(has(world.text(), "ConfirmationDeclined"));
      CHECK(world.requests.size() == 1);
    }
  }
}

TEST_CASE("giving up ends the observer's work and whatever waits") {
  World world;
  world.observer = [](const ObserverToolRequest&) { return std::nullopt; };
  world.begin("keyboard_control", R"({"action":"type","text":"a long text"})");
  CHECK(world.held.size() == 1);
  world.give_up();
  world.kit.pump();
  CHECK(world.observer_cancels == 1);
  world.begin("wait", R"({"seconds":30})");
  world.give_up();
  world.kit.pump();
  world.kit.advance(31s);
  CHECK_FALSE(world.finished());
}

TEST_CASE("waiting takes as long as it was asked to, and not longer than is allowed") {
  World world;
  world.begin("wait", R"({"seconds":1.5})");
  world.kit.advance(1400ms);
  CHECK_FALSE(world.finished());
  world.kit.advance(100ms);
  CHECK(world.text() == R"({"ok":true,"action":"wait","waited_ms":1500})");
  World strict(R"({"callers":["*"],"wait":{"max":1000}})");
  (void)strict.run("wait", R"({"seconds":1.5})");
  CHECK(has(strict.text(), "tools_desktop.wait.max"));
}

TEST_CASE("waiting for something asks the observer for it") {
  World world;
  world.observer = answers({{"wait_for", R"({"ok":true,"matched_index":1,"matched_detail":{}})"}});
  (void)world.run("wait", R"({"for_window":"Pad","for_text":"OK","seconds":2,"window_uid":"w:1"})");
  CHECK(has(world.text(), R"("matched":true)"));
  CHECK(has(last(world), R"("timeout_ms":2000,"window_uid":"w:1")"));
  CHECK(has(last(world), R"({"type":"window_appears","title_regex":"(?i)[_&]?p[_&]?a[_&]?d"})"));
  CHECK(has(last(world), R"({"type":"text_visible")"));
  (void)world.run("wait", R"({"for_element":"OK"})");
  CHECK(has(last(world), R"({"type":"element_appears","selector":"//*[name~=\"(?i).*)"));
  CHECK(has(last(world), R"("timeout_ms":10000)"));
  (void)world.run("wait", R"({"for_element":"//Button[name=\"OK\"]"})");
  CHECK(has(last(world), R"("selector":"//Button[name=\"OK\"]")"));
  world.observer = answers({{"wait_for", observer_error("Timeout", "it never came")}});
  const auto result = world.run("wait", R"({"for_text":"OK"})");
  CHECK(result->is_error);
  CHECK(has(world.text(), "it never came"));
}

TEST_CASE("windows are named as people do, by the whole title, or by an expression") {
  World world;
  world.observer = answers({{"list_windows", windows_answer({{"w:1", "Notes", "pad", 1, true},
                                                             {"w:2", "Notes settings", "pad", 1},
                                                             {"w:3", "My notes", "pad", 1}})}});
  const auto raised = [&](const char* arguments) {
    world.requests.clear();
    (void)world.run("switch_window", arguments);
    return last(world);
  };
  CHECK(raised(R"({"tab_name":"notes"})") == R"(bring_to_foreground {"window_uid":"w:1"})");
  CHECK(raised(R"({"tab_name":"notes set"})") == R"(bring_to_foreground {"window_uid":"w:2"})");
  CHECK(raised(R"({"tab_name":"My notes","match_mode":"exact"})") ==
        R"(bring_to_foreground {"window_uid":"w:3"})");
  CHECK(raised(R"({"tab_name":"my notes","match_mode":"exact"})") == "list_windows {}");
  CHECK(has(world.text(), "WindowNotFound"));
  CHECK(raised(R"({"tab_name":"^My","match_mode":"regex"})") ==
        R"(bring_to_foreground {"window_uid":"w:3"})");
  CHECK(raised(R"({"tab_name":"otes","match_mode":"regex"})") == "list_windows {}");
  CHECK(has(world.text(), "AmbiguousWindow"));
  CHECK(raised(R"({"tab_name":"(","match_mode":"regex"})") == "list_windows {}");
  CHECK(world.finished()->is_error);
  (void)world.run("get_open_windows", "{}");
  CHECK(has(world.text(), R"("count":3)"));
}

TEST_CASE("a screenshot is a picture and what is needed to point into it") {
  World world;
  const std::string picture =
      R"({"ok":true,"data":"iVBORw==","encoding":"base64","format":"png","width":4,"height":2,)"
      R"("bounds":{"x":0,"y":0,"width":8,"height":4}})";
  world.observer = answers({{"get_full_screenshot", picture}, {"get_screenshot", picture}});
  auto result = world.run("screenshot", "{}");
  REQUIRE(result);
  CHECK(last(world) == R"(get_full_screenshot {"max_edge":1568})");
  REQUIRE(result->content.size() == 2);
  CHECK(result->content[1].kind == ContentKind::Image);
  CHECK(result->content[1].media_type == "image/png");
  CHECK(result->content[1].data.text() == "\x89PNG");
  CHECK(has(world.text(), R"("bounds":{"x":0)"));
  CHECK_FALSE(has(world.text(), "iVBORw"));
  (void)world.run("screenshot", R"({"window_title":"Pad","max_edge":0})");
  CHECK(last(world) == R"(get_screenshot {"window_title":"Pad"})");
}

TEST_CASE("scrolling over an element puts the pointer there first") {
  World world;
  world.observer =
      answers({{"hover_element", R"({"ok":true,"effect":"confirmed","target":{"bounds":{"x":100,)"
                                 R"("y":50,"width":20,"height":10}}})"}});
  (void)world.run("scroll_control", R"({"action":"scroll_down","element_id":"root.4"})");
  CHECK(world.asked() ==
        R"(hover_element {"element_id":"root.4"}; scroll {"clicks":-3,"x":110,"y":55})");
}

TEST_CASE("only the plugins that the configuration names see the tools") {
  World world(R"({"callers":["agent_engine"]})");
  const auto list = world.kit.host().bus().call_wait<ToolList>({});
  REQUIRE(list.ok());
  CHECK((*list)->tools.empty());
  world.begin("get_open_windows", "{}");
  REQUIRE(world.stream->ends().size() == 1);
  CHECK(world.stream->ends().front().code == Code::NotFound);
}

TEST_CASE("the list says what each tool may do, and the clipboard can be left out") {
  World world;
  const auto list = world.kit.host().bus().call_wait<ToolList>({});
  REQUIRE(list.ok());
  std::string reading, acting;
  for (const ToolDescription& tool : (*list)->tools) {
    (tool.read_only ? reading : acting) += tool.name + ' ';
    const auto schema = llm::parse_or_null(tool.input_schema.text);
    CHECK(schema.at("additionalProperties") == boost::json::value(false));
    CHECK(schema.at("properties").as_object().contains("explanation"));
  }
  CHECK(reading == "screenshot get_open_windows wait read_clipboard ");
  CHECK(acting ==
        "open_app mouse_control scroll_control keyboard_control switch_window write_clipboard ");
  World without(R"({"callers":["*"],"clipboard":{"enabled":false}})");
  const auto shorter = without.kit.host().bus().call_wait<ToolList>({});
  CHECK((*shorter)->tools.size() == (*list)->tools.size() - 2);
}
