// SPDX-License-Identifier: Apache-2.0
#include "observer_teaching.hpp"

#include <gantry/mcp/json_rpc.hpp>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <string>

namespace gantry::mcp {
namespace {

namespace json = boost::json;

/// What goes into the next call besides what its tool takes of the failed one.
enum class Next {
  Look,     ///< At the window, as short lines.
  Carry,    ///< Where the failed call pointed: window and element.
  Window,   ///< The window alone.
  Plain,    ///< Nothing.
  Nothing,  ///< There is no next call: only whoever called can put it right.
  Await,    ///< That the element can be used; without a selector, that the window is quiet.
  Propose,  ///< The failed call as a proposal.
};

constexpr std::size_t kMostTaught = 4;  // members
constexpr std::string_view kWaitForAny = "wait_for";

struct Lesson {
  std::string_view code;
  std::string_view tool;  ///< Empty: the one that failed.
  Next next = Next::Plain;
  std::string_view then;
};
/// Refusals by the guard that no call gets around (PermissionDenied, ConfirmationDeclined) are not
/// here: another way is the user's to allow.
constexpr std::array<Lesson, 16> kLessons{{
    {"ElementNotFound", "observe_window", Next::Look, "use a selector or id that is shown"},
    {"WindowGone", "list_windows", Next::Plain, "use the window_uid of the window that is meant"},
    {"SnapshotExpired", "observe_window", Next::Look, "use the tree_token of its answer"},
    {"ConfirmationRequired", "propose_action", Next::Propose,
     "ask the user; then repeat the call with the confirm_token of the answer"},
    {"ConfirmationInvalid", "propose_action", Next::Propose,
     "ask the user; then repeat the call with the confirm_token of the answer"},
    {"RateLimited", "get_budget_status", Next::Plain, "repeat the call when the minute has room"},
    {"BudgetExceeded", "get_budget_status", Next::Plain, "tell the user which budget is used up"},
    {"BadRequest", "", Next::Nothing, "correct what the message names, and call again"},
    {"ScenarioInvalid", "", Next::Nothing, "correct the file where context says, and call again"},
    {"PredicateUnsupported", "", Next::Nothing, "use a kind that the message names"},
    {"PlatformUnsupported", "get_capabilities", Next::Plain, "use what it supports"},
    {"PatternUnsupported", "click_element", Next::Carry, "look whether that had the effect"},
    {"Timeout", "observe_window", Next::Look, "see what it waits for, or wait longer"},
    {"ElementOccluded", "bring_to_foreground", Next::Window, "repeat the call"},
    {"WindowOccluded", "bring_to_foreground", Next::Window, "repeat the call"},
    {"ElementDisabled", kWaitForAny, Next::Await, "repeat the call"},
}};

/// What passes by waiting, so that the failed call may be the next one, too.
constexpr std::array<std::string_view, 2> kPassing{"RateLimited", "Timeout"};

constexpr std::array<std::string_view, 3> kWindowArguments{"window_uid", "window_index",
                                                           "window_title"};
constexpr std::array<std::string_view, 3> kElementArguments{"selector", "element_id", "tree_token"};

const Lesson* lesson_of(std::string_view code) {
  const auto* const row =
      std::find_if(kLessons.begin(), kLessons.end(),
                   [code](const Lesson& lesson) { return lesson.code == code; });
  return row == kLessons.end() ? nullptr : row;
}

json::object given_arguments(const ToolCallRequest& request) {
  boost::system::error_code problem;
  json::value value = json::parse(request.arguments.text, problem);
  return problem || !value.is_object() ? json::object() : std::move(value.get_object());
}

template <std::size_t N>
void carry(json::object& to, const json::object& from, const std::array<std::string_view, N>& names,
           std::string_view tool, const Takes& takes) {
  for (const std::string_view name : names) {
    const json::value* value = member(from, name);
    if (value != nullptr && takes(tool, name))
      to[json::string_view(name.data(), name.size())] = *value;
  }
}

/// The window that the failure is about, else the one that was asked for.
void carry_window(json::object& to, const json::object& given, const json::object* context,
                  std::string_view tool, const Takes& takes) {
  if (context != nullptr && text_member(*context, "window_uid") && takes(tool, "window_uid")) {
    to["window_uid"] = *member(*context, "window_uid");
    return;
  }
  carry(to, given, kWindowArguments, tool, takes);
}

struct NextCall {
  std::string tool;  ///< Empty: none.
  json::object arguments;
  std::string then;
};

/// A member of the nearest match; null when it has none.
json::value first_near(const json::value* near, std::string_view name) {
  const json::array* array = near == nullptr ? nullptr : near->if_array();
  if (array == nullptr || array->empty() || !array->front().is_object()) return {};
  const json::value* value = member(array->front().get_object(), name);
  return value == nullptr ? json::value() : *value;
}

json::object arguments_for(const Lesson& lesson, std::string_view tool,
                           const ToolCallRequest& request, const json::object* context,
                           const Takes& takes) {
  json::object given = given_arguments(request);
  json::object out;
  switch (lesson.next) {
    case Next::Plain:
    case Next::Nothing: break;
    case Next::Look:
      carry_window(out, given, context, tool, takes);
      if (takes(tool, "format")) out["format"] = "lines";
      break;
    case Next::Carry:
      carry_window(out, given, context, tool, takes);
      carry(out, given, kElementArguments, tool, takes);
      break;
    case Next::Window: carry_window(out, given, context, tool, takes); break;
    case Next::Await: {
      carry_window(out, given, context, tool, takes);
      if (tool != kWaitForAny) break;
      json::string enabled = member(given, "selector")->get_string();
      enabled += "[enabled=true]";
      out["any_of"] =
          json::array{json::object{{"type", "element_appears"}, {"selector", std::move(enabled)}}};
      break;
    }
    case Next::Propose: {
      json::object proposed = given;
      proposed.erase("confirm_token");
      out["action"] = request.name;
      out["args"] = std::move(proposed);
      break;
    }
  }
  return out;
}

NextCall next_call(const Lesson& lesson, const ToolCallRequest& request,
                   const json::object* context, const json::value* near, const Takes& takes) {
  NextCall next{std::string(lesson.tool), {}, std::string(lesson.then)};
  if (lesson.next == Next::Nothing) return next;
  if (lesson.code == "SnapshotExpired" && request.name.starts_with("snapshot")) {
    return {"snapshot", {}, "use the snapshot_id of its answer"};
  }
  // Looking for the nearest one costs less than looking at everything, and does nothing to it.
  const json::value selector = first_near(near, "selector");
  if (lesson.code == "ElementNotFound" && selector.is_string()) {
    next.tool = "find_element";
    next.then = "repeat the call with the selector of the near match that is meant";
    carry_window(next.arguments, given_arguments(request), context, next.tool, takes);
    next.arguments["selector"] = selector;
    return next;
  }
  if (lesson.next == Next::Await && !text_member(given_arguments(request), "selector")) {
    next.tool = "wait_idle";
  }
  next.arguments = arguments_for(lesson, next.tool, request, context, takes);
  return next;
}

/// What arguments that were refused may have meant.
NextCall corrected(json::object& answer, const json::object* error, const ToolCallRequest& request,
                   const ToolSchemas& schemas) {
  const std::string message =
      error == nullptr ? std::string() : text_member(*error, "message").value_or("");
  ArgumentLesson lesson = argument_lesson(request.name, given_arguments(request), message, schemas);
  if (!lesson.ignored.empty()) answer.insert_or_assign("ignored_arguments", lesson.ignored);
  if (!lesson.near.empty()) answer.insert_or_assign("near_matches", lesson.near);
  return {std::move(lesson.tool), std::move(lesson.arguments), std::move(lesson.then)};
}

/// The same call with the option that is nearest to the one that was not there.
NextCall nearest_option(const ToolCallRequest& request, const json::value& option) {
  NextCall next{request.name, given_arguments(request), "or choose another one of near_matches"};
  next.arguments["option_name"] = option;
  return next;
}

/// What to call next, or what else to do.
NextCall lesson_for(json::object& answer, const Lesson& lesson, const ToolCallRequest& request,
                    const json::object* context, const json::value& near, const Takes& takes,
                    const ToolSchemas* schemas) {
  const json::value* found = answer.if_contains("error");
  const json::object* error = found == nullptr ? nullptr : found->if_object();
  if (schemas != nullptr && lesson.code == "BadRequest") {
    return corrected(answer, error, request, *schemas);
  }
  if (lesson.code == "Timeout" && answer.if_contains("warnings") != nullptr) {
    return {{}, {}, "correct the conditions that warnings name, and call again"};
  }
  if (lesson.code == "Timeout" && near.is_array()) {  // of windows: none came
    return {"list_windows", {}, "wait at the window_uid of the window that is meant, or longer"};
  }
  return next_call(lesson, request, context, &near, takes);
}

/// Who repeats what has just failed fails again, unless waiting is the cure.
bool repeats(const NextCall& next, std::string_view code, const ToolCallRequest& request) {
  return std::find(kPassing.begin(), kPassing.end(), code) == kPassing.end() &&
         next.tool == request.name && next.arguments == given_arguments(request);
}

}  // namespace

void teach(json::object& answer, std::string_view error_code, const ToolCallRequest& request,
           const Takes& takes, const ToolSchemas* schemas) {
  answer.reserve(answer.size() + kMostTaught);  // so that what is pointed to below stays there
  json::object* error = nullptr;
  if (json::value* found = answer.if_contains("error")) error = found->if_object();
  json::object* context = nullptr;
  if (json::value* found = error == nullptr ? nullptr : error->if_contains("context")) {
    context = found->if_object();
  }
  json::value near;
  for (const std::string_view name : {"did_you_mean", "candidates"}) {
    const json::value* found = context == nullptr ? nullptr : member(*context, name);
    if (found == nullptr) continue;
    near = *found;
    context->erase(json::string_view(name.data(), name.size()));  // told once
    answer.insert_or_assign("near_matches", near);
  }
  const Lesson* lesson = lesson_of(error_code);
  const json::value option = first_near(&near, "option_name");
  if (lesson == nullptr && !option.is_string()) return;
  NextCall next = option.is_string()
                      ? nearest_option(request, option)
                      : lesson_for(answer, *lesson, request, context, near, takes, schemas);
  if (next.tool.empty() || repeats(next, error_code, request)) {
    answer.insert_or_assign("hint", next.then);
    return;
  }
  answer.insert_or_assign("next_call", json::object{{"tool", next.tool},
                                                    {"arguments", std::move(next.arguments)},
                                                    {"then", next.then}});
}

}  // namespace gantry::mcp
