// SPDX-License-Identifier: Apache-2.0
// Runs every example of docs/rules-planner.md against a small desktop.
#include <catch2/catch.hpp>
#include <gantry/llm/json.hpp>

#include <map>

#include "../../../tests/support/doc_examples.hpp"
#include "plan.hpp"

using namespace gantry;

namespace {

constexpr std::string_view kWindows = R"({"ok":true,"windows":[
  {"title":"Notes","window_uid":"w:notes","focused":true},
  {"title":"Mail","window_uid":"w:mail","focused":false},
  {"title":"Mail settings","window_uid":"w:settings","focused":false}]})";

constexpr std::string_view kNotes =
    R"({"ok":true,"tree":{"id":"root","role":"Window","name":"Notes",
  "bounds":{"x":0,"y":0},"children":[
  {"id":"root.1","role":"Button","name":"Save","bounds":{"x":10,"y":20},"children":[
    {"id":"root.1.0","role":"Label","name":"Save","bounds":{"x":12,"y":22}}]},
  {"id":"root.2","role":"Button","name":"Save As…","bounds":{"x":40,"y":20}},
  {"id":"root.3","role":"Edit","name":"Body","bounds":{"x":10,"y":60}},
  {"id":"root.4","role":"Text","name":"Status","value":"all good","bounds":{"x":10,"y":90}},
  {"id":"root.7","role":"Text","name":"Saved at nine","bounds":{"x":10,"y":95}},
  {"id":"root.5","role":"Button","name":"Delete","bounds":{"x":10,"y":100}},
  {"id":"root.6","role":"Button","name":"Delete","bounds":{"x":10,"y":200}}]}})";

constexpr std::string_view kSettings = R"({"ok":true,"tree":{"id":"w","role":"Window",
  "name":"Mail settings","bounds":{"x":0,"y":0},"children":[
  {"id":"root.0","role":"ListItem","name":"Inbox","bounds":{"x":5,"y":6}},
  {"id":"root.7","role":"Label","name":"Inbox item","bounds":{"x":7,"y":8}}]}})";

constexpr std::string_view kMousepad =
    R"({"ok":true,"application":"Mousepad","effect":"confirmed"})";
constexpr std::string_view kNotSeen = R"({"ok":true,"application":"Slow Machine",
  "effect":"unverified","note":"it runs, and no window of it was seen yet"})";

/// The desktop's answer to one call, as the engine hands it to models.
std::string answer(const std::string& tool, const std::string& arguments) {
  std::string out = R"({"ok":true,"effect":"confirmed"})";
  if (tool == "list_windows") out = kWindows;
  if (tool == "get_element_tree") {
    out = arguments.find("w:settings") != std::string::npos ? kSettings : kNotes;
  }
  if (tool == "get_screen_description") {
    out =
        R"({"ok":true,"window":"Notes","accessibility":"Root: Window  \"Notes\"\n)"
        R"(  └─ Text \"Saved at nine\"  @(10,60) 200×20\n  └─ Button \"Save\"  @(10,100) 60×20\n)"
        R"(  └─ Button \"Delete\"  @(90,100) 60×20\n","ocr":"Saved at nine","description":"[accessibility]"})";
  }
  if (tool == "get_screen_description" && arguments.find("w:settings") != std::string::npos) {
    out = R"({"ok":false,"error":{"code":"Unavailable","message":"it has no picture just now"}})";
  }
  if (tool == "open_app") out = kMousepad;
  if (arguments.find("slow machine") != std::string::npos) out = kNotSeen;
  if (arguments.find("f13") != std::string::npos) {
    out = R"({"ok":false,"error":{"code":"BadRequest","message":"there is no key 'f13'"}})";
  }
  if (arguments.find("f5") != std::string::npos) out = R"({"ok":true,"effect":"unverified"})";
  return "<tool_output trust=\"untrusted\">\n" + out + "\n</tool_output>";
}

LlmChatRequest session() {
  LlmChatRequest request;
  for (const char* name : {"list_windows", "get_element_tree", "get_screen_description",
                           "click_element", "double_click_element", "right_click_element",
                           "right_click_at", "focus_element", "type_text", "press_key", "scroll",
                           "open_app", "bring_to_foreground", "wait_for", "get_screenshot"}) {
    request.tools.push_back({name, "", Json(R"({"type":"object"})"), false});
  }
  request.tools[11].input_schema = Json(R"({"type":"object","properties":{"command":{}}})");
  return request;
}

void add_text(LlmChatRequest& request, LlmRole role, std::string text) {
  LlmMessage message;
  message.role = role;
  message.blocks.emplace_back().text = std::move(text);
  request.messages.push_back(std::move(message));
}

/// Arguments in one order and without what only the tool needs.
std::string shown(const std::string& arguments) {
  std::map<std::string, std::string> members;
  const boost::json::value parsed = llm::parse_or_null(arguments);
  for (const auto& [name, value] : parsed.as_object()) {
    if (name != "name_regex" && name != "depth")
      members[std::string(name)] = codec::serialize(value);
  }
  std::string out = "{";
  for (const auto& [name, value] : members) {
    out += (out.size() > 1 ? ",\"" : "\"") + name + "\":" + value;
  }
  return out + '}';
}

/// Lets the planner work until it answers; what it did and said, line by line.
std::vector<std::string> play(LlmChatRequest& request) {
  std::vector<std::string> lines;
  for (int round = 0; round < 50; ++round) {
    const rules::Move move = rules::next_move(request, 10'000);
    if (move.calls.empty()) {
      add_text(request, LlmRole::Assistant, move.text);
      std::string text = move.text + '\n';
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back("< " + text.substr(at, end - at));
        at = end + 1;
      }
      return lines;
    }
    LlmMessage said, heard;
    said.role = LlmRole::Assistant;
    heard.role = LlmRole::Tool;
    for (const LlmToolCall& call : move.calls) {
      lines.push_back(call.name + ' ' + shown(call.arguments.text));
      LlmBlock& block = said.blocks.emplace_back();
      block.kind = LlmBlockKind::ToolCall;
      block.tool_call = call;
      LlmBlock& result = heard.blocks.emplace_back();
      result.kind = LlmBlockKind::ToolResult;
      result.tool_result =
          LlmToolResult{call.id, call.name, answer(call.name, call.arguments.text), {}, false};
    }
    request.messages.push_back(said);
    request.messages.push_back(heard);
  }
  FAIL("the planner does not come to an end");
  return lines;
}

}  // namespace

TEST_CASE("every example of the page happens as it says") {
  const auto all = gantry::testing::doc_examples("docs/rules-planner.md");
  REQUIRE(all.size() >= 15);
  for (const auto& example : all) {
    LlmChatRequest request = session();
    std::vector<std::string> happened, written;
    for (const std::string& line : example) {
      if (line.starts_with("> ")) {
        add_text(request, LlmRole::User, line.substr(2));
        happened.push_back(line);
        for (std::string& step : play(request)) happened.push_back(std::move(step));
      }
      written.push_back(line);
    }
    if (written.back() == "< …") {  // the introduction, at length
      written.pop_back();
      happened.resize(std::min(happened.size(), written.size()));
    }
    INFO(example.front());
    CHECK(happened == written);
  }
}

TEST_CASE("a refusal is told without the marks around the words of tools") {
  LlmChatRequest request = session();
  add_text(request, LlmRole::User, "type hello");
  const rules::Move move = rules::next_move(request, 10'000);
  REQUIRE(move.calls.size() == 1);
  LlmMessage said, heard;
  said.role = LlmRole::Assistant;
  heard.role = LlmRole::Tool;
  said.blocks.emplace_back().kind = LlmBlockKind::ToolCall;
  said.blocks.back().tool_call = move.calls.front();
  heard.blocks.emplace_back().kind = LlmBlockKind::ToolResult;
  heard.blocks.back().tool_result = LlmToolResult{
      move.calls.front().id,
      move.calls.front().name,
      "<tool_output tool=\"x\" trust=\"untrusted\">\nthe user said no\n</tool_output>",
      {},
      true};
  request.messages.push_back(said);
  request.messages.push_back(heard);
  const rules::Move answer = rules::next_move(request, 10'000);
  CHECK(answer.calls.empty());
  CHECK(answer.text.find("the user said no") != std::string::npos);
  CHECK(answer.text.find("tool_output") == std::string::npos);
}
