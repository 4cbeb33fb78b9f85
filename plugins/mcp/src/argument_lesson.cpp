// SPDX-License-Identifier: Apache-2.0
#include "argument_lesson.hpp"

#include <gantry/mcp/json_rpc.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "echo.hpp"
#include "near_names.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kWindowUid = "window_uid";
constexpr std::string_view kWindowIndex = "window_index";
constexpr std::string_view kWindowTitle = "window_title";
constexpr std::string_view kUnreadable = "selector parse error";
constexpr const char* kLook = "observe_window";
constexpr std::size_t kMostIgnored = 20;  // that one answer teaches; more are no slip of the pen

/// Those of `names` that are not given already.
std::vector<std::string> free_names(const std::vector<std::string>& names,
                                    const json::object& given) {
  std::vector<std::string> out;
  std::copy_if(names.begin(), names.end(), std::back_inserter(out),
               [&](const std::string& name) { return member(given, name) == nullptr; });
  return out;
}

/// Names that the tool does not take, and which of those that it takes they may stand for. Those
/// above the limit are not taught, and the next call goes without them.
void look_at_names(ArgumentLesson& lesson, const json::object& given,
                   const std::vector<std::string>& names) {
  std::vector<std::string> left = free_names(names, given);
  for (const auto& [key, value] : given) {
    const std::string name(key);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (lesson.ignored.size() == kMostIgnored) {
      lesson.arguments.erase(name);
      continue;
    }
    const std::string shown = echoed(name);
    lesson.ignored.emplace_back(shown);
    const std::vector<std::string> near = near_names(shown, left);
    for (const std::string& one : near) {
      lesson.near.push_back(json::object{{"argument", one}, {"instead_of", shown}});
    }
    const auto meant = nearest_name(shown, left);
    if (!meant) continue;
    lesson.arguments.erase(name);
    lesson.arguments[*meant] = value;
    std::erase(left, *meant);  // another wrong name does not mean it, too
    lesson.then = "`" + shown + "` is called " + *meant + " here";
  }
}

/// One condition instead of the list of them.
void look_at_conditions(ArgumentLesson& lesson, const json::object& given) {
  const auto selector = text_member(given, "selector");
  if (lesson.tool != "wait_for" || !selector || member(given, "any_of") != nullptr) return;
  lesson.arguments.erase("selector");
  lesson.arguments["any_of"] =
      json::array{json::object{{"type", "element_appears"}, {"selector", *selector}}};
  lesson.then = "it takes a list of conditions; choose the type that is meant";
}

/// The tool that is proposed has another name.
void look_at_action(ArgumentLesson& lesson, const json::object& given, const ToolSchemas& schemas) {
  const auto action = text_member(given, "action");
  if (lesson.tool != "propose_action" || !action) return;
  const std::vector<std::string> tools = schemas.tools();
  if (std::find(tools.begin(), tools.end(), *action) != tools.end()) return;
  for (const std::string& one : near_names(*action, tools)) {
    lesson.near.push_back(json::object{{"action", one}});
  }
  if (const auto meant = nearest_name(*action, tools)) lesson.arguments["action"] = *meant;
  lesson.then = "`action` is the name of a tool that acts";
}

/// The same call would be refused in the same way: selectors that can be read are in the window.
void look_at_selector(ArgumentLesson& lesson, const json::object& given, std::string_view message,
                      const ToolSchemas& schemas) {
  if (message.find(kUnreadable) == std::string_view::npos) return;
  const std::vector<std::string> takes = schemas.arguments(kLook);
  if (takes.empty()) return;
  const json::object* proposed = object_member(given, "args");
  lesson.tool = kLook;
  lesson.arguments = {};
  for (const std::string_view name : {kWindowUid, kWindowIndex, kWindowTitle}) {
    const json::value* window = member(given, name);
    if (window == nullptr && proposed != nullptr) window = member(*proposed, name);
    if (window != nullptr) lesson.arguments[json::string_view(name.data(), name.size())] = *window;
  }
  lesson.arguments["format"] = "lines";
  lesson.then =
      "repeat the call with a selector of its lines, or one such as //Button[name=\"Save\"]";
}

}  // namespace

ArgumentLesson argument_lesson(const std::string& tool, const json::object& given,
                               std::string_view message, const ToolSchemas& schemas) {
  ArgumentLesson lesson;
  lesson.tool = tool;
  lesson.arguments = given;
  lesson.then = "correct what the message names first";
  const std::vector<std::string> names = schemas.arguments(tool);
  if (names.empty()) return lesson;
  look_at_names(lesson, given, names);
  look_at_conditions(lesson, given);
  look_at_action(lesson, given, schemas);
  look_at_selector(lesson, given, message, schemas);
  // The window was left out, and here no window stands for it.
  if (message.starts_with(kWindowUid) && lesson.near.empty() && lesson.ignored.empty()) {
    lesson.tool = "list_windows";
    lesson.arguments = {};
    lesson.then = "repeat the call with the window_uid of the window that is meant";
  }
  return lesson;
}

}  // namespace gantry::mcp
