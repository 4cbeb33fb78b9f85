// SPDX-License-Identifier: Apache-2.0
#include "argument_lesson.hpp"

#include <gantry/mcp/json_rpc.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "echo.hpp"
#include "near_names.hpp"
#include "value_lesson.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kWindowUid = "window_uid";
constexpr std::string_view kWindowIndex = "window_index";
constexpr std::string_view kWindowTitle = "window_title";
constexpr std::string_view kUnreadable = "selector parse error";
constexpr const char* kLook = "observe_window";
constexpr std::size_t kMostIgnored = 20;  // that one answer teaches; more are no slip of the pen

/// Words for the same thing; a tool takes one of each row.
constexpr std::array<std::array<std::string_view, 8>, 5> kSameThings{{
    {"value", "text", "keys", "key", "content", "input", "string", "input_text"},
    {"option_name", "option", "label", "item", "choice", "name"},
    {"selector", "xpath", "query", "css", "target", "locator", "path"},
    {"element_id", "id", "element", "node_id", "ref"},
    {"window_title", "title", "window", "window_name", "app"},
}};

/// A refusal of what is missing or is so at the wrong time, and a call that helps.
struct Instead {
  std::string_view message;  ///< A part of it.
  std::string_view tool;     ///< Empty: the action that was to be proposed.
  bool at_window = false;    ///< With the window of the call that was refused, as short lines.
  std::string_view argument = {};  ///< That is taken over.
  std::string_view then;
};
constexpr std::array<Instead, 11> kInstead{{
    {"element_id or selector is required",
     kLook,
     true,
     {},
     "repeat the call with a selector or id that is shown"},
    {"selector is required", kLook, true, {}, "repeat the call with a selector that is shown"},
    {"drag requires from/to", kLook, true, {}, "repeat the call with selectors that are shown"},
    {"has nothing to act on", kLook, true, {}, "propose it with a selector that is shown"},
    {"window_uid or window_index is required",
     "list_windows",
     false,
     {},
     "repeat the call with the window_uid of the window that is meant"},
    {"this action needs no confirmation", {}, false, {}, "it needs no proposal"},
    {"trace already active",
     "trace_status",
     false,
     {},
     "go on with the recording that runs, or end it with trace_stop"},
    {"no active trace", "trace_status", false, {}, "there is nothing to end"},
    {"a step of this replay is still running", "replay_status", false, "replay_id",
     "repeat the call when its position has moved"},
    {"a and b are required",
     "snapshot",
     false,
     {},
     "take another one later, and compare their snapshot_ids"},
    {"the point (", "get_monitors", false, {}, "repeat the call with a point within their bounds"},
}};

/// Those of `names` that are not given already.
std::vector<std::string> free_names(const std::vector<std::string>& names,
                                    const json::object& given) {
  std::vector<std::string> out;
  std::copy_if(names.begin(), names.end(), std::back_inserter(out),
               [&](const std::string& name) { return member(given, name) == nullptr; });
  return out;
}

/// The one of `names` for which `fits` is true; nothing when there are more.
template <class Fits>
std::optional<std::string> only(const std::vector<std::string>& names, const Fits& fits) {
  const auto first = std::find_if(names.begin(), names.end(), fits);
  if (first == names.end() || std::find_if(first + 1, names.end(), fits) != names.end()) {
    return std::nullopt;
  }
  return *first;
}

bool says_word(std::string_view message, std::string_view word) {
  const auto is_letter = [&](std::size_t at) {
    const char c = at < message.size() ? message[at] : ' ';
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t at = 0; (at = message.find(word, at)) != std::string_view::npos; ++at) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

/// What `name` stands for: the nearest, the near one that the refusal asks for, or the one that
/// other words mean, too.
std::optional<std::string> meant_by(const std::string& name, const std::vector<std::string>& left,
                                    const std::vector<std::string>& near,
                                    std::string_view message) {
  if (auto nearest = nearest_name(name, left)) return nearest;
  const auto asked = [&](const std::string& one) { return says_word(message, one); };
  if (auto wanted = only(near, asked)) return wanted;
  for (const auto& row : kSameThings) {
    if (std::find(row.begin(), row.end(), name) == row.end()) continue;
    const auto same = [&row](const std::string& one) {
      return std::find(row.begin(), row.end(), one) != row.end();
    };
    if (auto other = only(left, same)) return other;
  }
  return std::nullopt;
}

/// The argument that a refusal misses: "value is required …".
std::optional<std::string> missing_name(const std::vector<std::string>& left,
                                        std::string_view message) {
  return only(left, [message](const std::string& name) {
    return message.starts_with(name) && message.substr(name.size()).starts_with(" is required");
  });
}

void rename(ArgumentLesson& lesson, const std::string& name, const std::string& meant) {
  json::value value = std::move(lesson.arguments[name]);
  lesson.arguments.erase(name);
  lesson.arguments[meant] = std::move(value);
  lesson.then = "`" + echoed(name) + "` is called " + meant + " here";
}

/// Names that the tool does not take, and which of those that it takes they may stand for. Those
/// above the limit are not taught, and the next call goes without them.
void look_at_names(ArgumentLesson& lesson, const json::object& given,
                   const std::vector<std::string>& names, std::string_view message) {
  std::vector<std::string> left = free_names(names, given);
  for (const auto& entry : given) {
    const std::string name(entry.key());
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (lesson.ignored.size() == kMostIgnored) {
      lesson.arguments.erase(name);
      continue;
    }
    const std::string shown = echoed(name);
    lesson.ignored.emplace_back(shown);
    std::vector<std::string> near = near_names(shown, left);
    const auto meant = meant_by(shown, left, near, message);
    if (meant && std::find(near.begin(), near.end(), *meant) == near.end()) near = {*meant};
    for (const std::string& one : near) {
      lesson.near.push_back(json::object{{"argument", one}, {"instead_of", shown}});
    }
    if (!meant) continue;
    std::erase(left, *meant);  // another wrong name does not mean it, too
    rename(lesson, name, *meant);
  }
  // The only name that means nothing here, and the only one that is missing.
  if (lesson.ignored.size() != 1 || lesson.arguments != given) return;
  const auto wanted = missing_name(left, message);
  const std::string wrong(lesson.ignored.front().get_string());
  if (!wanted || lesson.arguments.if_contains(wrong) == nullptr) return;
  lesson.near = {json::object{{"argument", *wanted}, {"instead_of", wrong}}};
  rename(lesson, wrong, *wanted);
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

/// The window of the call, also where that was a proposal.
json::object window_of(const json::object& given) {
  const json::object* proposed = object_member(given, "args");
  json::object out;
  for (const std::string_view name : {kWindowUid, kWindowIndex, kWindowTitle}) {
    const json::value* window = member(given, name);
    if (window == nullptr && proposed != nullptr) window = member(*proposed, name);
    if (window != nullptr) out[json::string_view(name.data(), name.size())] = *window;
  }
  return out;
}

void look_at_window(ArgumentLesson& lesson, const json::object& given, std::string then) {
  lesson.tool = kLook;
  lesson.arguments = window_of(given);
  lesson.arguments["format"] = "lines";
  lesson.then = std::move(then);
}

/// The same call would be refused in the same way: selectors that can be read are in the window.
void look_at_selector(ArgumentLesson& lesson, const json::object& given, std::string_view message,
                      const ToolSchemas& schemas) {
  if (message.find(kUnreadable) == std::string_view::npos) return;
  if (schemas.schema(kLook).empty()) return;
  look_at_window(lesson, given,
                 "repeat the call with a selector of its lines, or one such as "
                 "//Button[name=\"Save\"]");
}

/// The action that a proposal was for.
void call_itself(ArgumentLesson& lesson, const json::object& given) {
  const auto action = text_member(given, "action");
  if (lesson.tool != "propose_action" || !action) return;
  const json::object* arguments = object_member(given, "args");
  lesson.arguments = arguments == nullptr ? json::object() : *arguments;
  lesson.tool = *action;
}

/// A call that helps, where nothing in the one that was refused could be put right.
void look_elsewhere(ArgumentLesson& lesson, const json::object& given, std::string_view message,
                    const ToolSchemas& schemas) {
  const auto* const row =
      std::find_if(kInstead.begin(), kInstead.end(), [&](const Instead& instead) {
        return message.find(instead.message) != std::string_view::npos;
      });
  if (row == kInstead.end()) return;
  if (row->tool.empty()) {
    call_itself(lesson, given);
    lesson.then = row->then;
    return;
  }
  if (schemas.schema(row->tool).empty()) return;
  if (row->at_window) return look_at_window(lesson, given, std::string(row->then));
  lesson.tool = row->tool;
  lesson.arguments = {};
  if (const json::value* value = member(given, row->argument)) {
    lesson.arguments[json::string_view(row->argument.data(), row->argument.size())] = *value;
  }
  lesson.then = row->then;
}

}  // namespace

ArgumentLesson argument_lesson(const std::string& tool, const json::object& given,
                               std::string_view message, const ToolSchemas& schemas) {
  ArgumentLesson lesson;
  lesson.tool = tool;
  lesson.arguments = given;
  lesson.then = "correct what the message names first";
  const json::object schema = schemas.schema(tool);
  const std::vector<std::string> names = schemas.arguments(tool);
  if (!schema.empty()) {
    look_at_conditions(lesson, given);
    look_at_names(lesson, given, names, message);
    look_at_action(lesson, given, schemas);
    correct_values(lesson, schema, message);
    look_at_selector(lesson, given, message, schemas);
    if (lesson.tool == tool && lesson.arguments == given) {
      look_elsewhere(lesson, given, message, schemas);
    }
  }
  if (lesson.tool == tool && lesson.arguments == given) lesson.tool.clear();
  return lesson;
}

std::vector<std::string> ToolSchemas::arguments(std::string_view tool) const {
  const json::object whole = schema(tool);
  std::vector<std::string> names;
  if (const json::object* properties = object_member(whole, "properties")) {
    for (const auto& [name, property] : *properties) names.emplace_back(name);
  }
  return names;
}

}  // namespace gantry::mcp
