// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <gantry/llm/json.hpp>
#include <gantry/observed.hpp>

#include <algorithm>
#include <array>

#include "command.hpp"
#include "replay.hpp"
#include "window_words.hpp"

namespace gantry::rules {
namespace {

namespace bj = boost::json;

using observed::Element;
using observed::match_elements;
using observed::match_windows;
using observed::name_pattern;
using observed::read_elements;
using observed::read_windows;
using observed::Window;

constexpr std::size_t kMostShown = 9;  // of a list in an answer
constexpr std::int64_t kTreeDepth = 60;
constexpr std::int64_t kTreeTokens = 1'200;  // of four characters, for each of four texts
constexpr std::int64_t kWheelSteps = 3;
constexpr std::size_t kLongestTold = 2'000;  // bytes of what a tool says, to a person

constexpr std::string_view kIntroduction =
    "I am Gantry's rule planner, not a language model: I understand a fixed set of commands and "
    "carry them out with the tools of this session.\n"
    "list windows; describe [W]; click, double-click or right-click X [in W]; type T [into X]; "
    "press KEYS; scroll up or down [N]; open APP; switch to W; wait for X [up to N seconds]; wait "
    "N "
    "seconds; read X [in W]; screenshot [of W]. Join them with \"then\", \"and\" or \";\". Put "
    "names "
    "and texts that hold such words in quotes.";

/// How a step ended.
enum class End { Done, Due, Ask, Failed };

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

/// What "I cannot" goes on with: a step's words, or that they were a question.
std::string deed(const Step& step) {
  const std::string words = lower(step.said);
  const bool question = words.starts_with("what") || words.starts_with("which");
  return question ? "answer " + quoted(step.said) : step.said;
}

bool has_property(const LlmTool& tool, std::string_view name) {
  const bj::value schema = llm::parse_or_null(tool.input_schema.text);
  return llm::at(schema, {"properties", name}) != nullptr;
}

/// The arguments as text; with the reason where the tool wants one.
std::string arguments_of(const LlmTool& tool, bj::object arguments, const Step& step) {
  if (has_property(tool, "explanation")) arguments["explanation"] = step.said;
  return codec::serialize(arguments);
}

/// What the tool says of the effect, when it is not sure of it.
std::string doubt(const Outcome& outcome) {
  const std::string effect = lower(llm::text_of(llm::parse_or_null(outcome.json), "effect"));
  if (effect == "unverified") return " (sent; the effect could not be verified)";
  if (effect == "no_op") return " (it changed nothing)";
  return {};
}

class Plan {
 public:
  Plan(const LlmChatRequest& request, std::int64_t wait_ms) : replay_(request), wait_ms_(wait_ms) {}

  Move run() {
    const std::vector<Step> steps = parse_command(replay_.command());
    if (steps.empty()) return {{}, std::string(kIntroduction)};
    for (const Step& step : steps) {
      if (step.verb == Verb::Unknown) return not_understood(step);
    }
    for (const Step& step : steps) {
      switch (perform(step)) {
        case End::Done: break;
        case End::Due: return {replay_.due(), {}};
        case End::Ask: return {{}, told()};
        case End::Failed:
          if (steps.size() > 1) say("I stopped there.");
          return {{}, told()};
      }
    }
    return {{}, told()};
  }

 private:
  using Perform = End (Plan::*)(const Step&);
  struct Row {
    Verb verb;
    Perform perform;
  };
  static const std::array<Row, 16> kRows;

  static Move not_understood(const Step& step) {
    return {{},
            "I do not understand " + quoted(step.what) + ", so I did nothing.\n" +
                std::string(kIntroduction)};
  }

  End perform(const Step& step) {
    for (const Row& row : kRows) {
      if (row.verb == step.verb) return (this->*row.perform)(step);
    }
    return fail("I cannot do that.");
  }

  void say(std::string_view line) {
    if (!lines_.empty()) lines_ += '\n';
    lines_ += line;
  }
  [[nodiscard]] std::string told() const { return lines_; }
  End done(std::string_view line) {
    say(line);
    return End::Done;
  }
  End fail(std::string_view line) {
    say(line);
    return End::Failed;
  }
  End missing(const Step& step, std::string_view tools) {
    return fail("I cannot " + deed(step) + ": it needs the tool " + std::string(tools) +
                ", which this session does not offer.");
  }
  End refused(const Step& step, const Outcome& outcome) {
    return fail("I could not " + deed(step) + ": " + outcome.message);
  }

  // ---- what steps have in common ----------------------------------------------------------------

  /// Asks which one is meant; what is chosen is left in `list`.
  template <class T, class F>
  End choose(std::vector<T>& list, F&& name, std::string_view question) {
    const std::size_t count = std::min(list.size(), kMostShown);
    if (const std::size_t choice = replay_.choose(count); choice != 0) {
      list = {list[choice - 1]};
      return End::Done;
    }
    std::string text(question);
    for (std::size_t i = 0; i < count; ++i) {
      text += '\n' + std::to_string(i + 1) + ") " + name(list[i]);
    }
    if (list.size() > count) text += "\nand " + std::to_string(list.size() - count) + " more.";
    say(text + "\nAnswer with a number.");
    return End::Ask;
  }

  /// The window of a step. Where windows cannot be listed its name goes to the tool.
  End find_window(const Step& step, bj::object& arguments) {
    const LlmTool* lister = replay_.offered({"list_windows"});
    if (lister == nullptr) {
      if (!step.where.empty()) arguments["window_title"] = step.where;
      return End::Done;
    }
    const Outcome* listed = replay_.call(*lister, "{}");
    if (listed == nullptr) return End::Due;
    if (!listed->ok) return refused(step, *listed);
    const std::vector<Window> windows = read_windows(listed->json);
    std::vector<Window> found = match_windows(windows, step.where);
    if (found.empty()) {
      std::string text = "There is no window " + quoted(step.where) + '.';
      for (const Window& window : windows) text += "\n- " + window.title;
      return fail(windows.empty() ? "There is no window at all." : text);
    }
    if (found.size() > 1) {
      const End end = choose(
          found, [](const Window& window) { return window.title; },
          "Which window " + quoted(step.where) + " do you mean?");
      if (end != End::Done) return end;
    }
    arguments["window_uid"] = found.front().uid;
    return End::Done;
  }

  /// The element of a name in the step's window.
  End find_element(const Step& step, const std::string& name, bool to_act, bj::object& window,
                   Element& out) {
    const LlmTool* reader = replay_.offered({"get_element_tree", "get_window_structure"});
    if (reader == nullptr) return missing(step, "get_element_tree");
    if (const End end = find_window(step, window); end != End::Done) return end;
    bj::object arguments = window;
    arguments["depth"] = kTreeDepth;
    arguments["name_regex"] = name_pattern(name);
    const Outcome* read = replay_.call(*reader, arguments_of(*reader, std::move(arguments), step));
    if (read == nullptr) return End::Due;
    if (!read->ok) return refused(step, *read);
    std::vector<Element> found = match_elements(read_elements(read->json), name, to_act);
    if (found.empty()) {
      return fail("I could not " + step.said + ": nothing called " + quoted(name) + " is there.");
    }
    if (found.size() > 1) {
      const End end = choose(
          found, [](const Element& element) { return observed::describe(element); },
          "Which " + quoted(name) + " do you mean?");
      if (end != End::Done) return end;
    }
    out = found.front();
    return End::Done;
  }

  /// Calls a tool whose success is all there is to say.
  End act(const Step& step, const LlmTool& tool, bj::object arguments, std::string_view success) {
    const Outcome* outcome = replay_.call(tool, arguments_of(tool, std::move(arguments), step));
    if (outcome == nullptr) return End::Due;
    if (!outcome->ok) return refused(step, *outcome);
    return done(std::string(success) + doubt(*outcome) + '.');
  }

  // ---- steps ------------------------------------------------------------------------------------

  End help(const Step&) { return done(kIntroduction); }

  End list_windows(const Step& step) {
    const LlmTool* tool = replay_.offered({"list_windows", "get_open_windows"});
    if (tool == nullptr) return missing(step, "list_windows");
    const Outcome* listed = replay_.call(*tool, arguments_of(*tool, {}, step));
    if (listed == nullptr) return End::Due;
    if (!listed->ok) return refused(step, *listed);
    const std::vector<Window> windows = read_windows(listed->json);
    if (windows.empty() && listed->json == "null") return done(listed->text);
    std::string text = std::to_string(windows.size()) +
                       (windows.size() == 1 ? " window is open:" : " windows are open:");
    for (const Window& window : windows) {
      text += "\n- " + (window.title.empty() ? std::string("(without a title)") : window.title);
      if (window.focused) text += " (in front)";
    }
    return done(windows.empty() ? "No window is open." : text);
  }

  End describe(const Step& step) {
    const LlmTool* tool = replay_.offered({"get_screen_description"});
    if (tool == nullptr) return missing(step, "get_screen_description");
    bj::object arguments;
    if (const End end = find_window(step, arguments); end != End::Done) return end;
    // The engine cuts what has more than 60,000 bytes, and then it is no JSON any more.
    if (has_property(*tool, "max_tokens")) arguments["max_tokens"] = kTreeTokens;
    const Outcome* outcome = replay_.call(*tool, arguments_of(*tool, std::move(arguments), step));
    if (outcome == nullptr) return End::Due;
    if (!outcome->ok) return refused(step, *outcome);
    const bj::value answer = llm::parse_or_null(outcome->json);
    const std::string words =
        window_words(llm::text_of(answer, "window"), llm::text_of(answer, "accessibility"),
                     llm::text_of(answer, "ocr"));
    if (!words.empty()) return done(words);
    for (const std::string_view name : {"description", "text"}) {
      const std::string_view told = llm::text_of(answer, name);
      if (!told.empty()) return done(beginning(told, kLongestTold));
    }
    return done(beginning(outcome->text, kLongestTold));
  }

  struct ClickRow {
    Verb verb;
    std::string_view on_element, at_point, client_action, told;
  };
  static const ClickRow& click_row(Verb verb) {
    static constexpr std::array<ClickRow, 3> kClicks{
        {{Verb::Click, "click_element", "click_at", "click", "Clicked "},
         {Verb::DoubleClick, "double_click_element", "double_click_at", "double_click",
          "Double-clicked "},
         {Verb::RightClick, "right_click_element", "right_click_at", "right_click",
          "Right-clicked "}}};
    return *std::find_if(kClicks.begin(), kClicks.end(),
                         [&](const ClickRow& row) { return row.verb == verb; });
  }

  End click(const Step& step) {
    const ClickRow& row = click_row(step.verb);
    if (step.at) return click_point(step, row);
    const LlmTool* tool = replay_.offered({row.on_element});
    if (tool == nullptr) return click_by_client(step, row);
    bj::object arguments;
    Element element;
    const End end = find_element(step, step.what, true, arguments, element);
    if (end != End::Done) return end;
    arguments["element_id"] = element.id;
    return act(step, *tool, std::move(arguments),
               std::string(row.told) + observed::describe(element));
  }

  End click_point(const Step& step, const ClickRow& row) {
    const std::string place =
        '(' + std::to_string(step.at->x) + ", " + std::to_string(step.at->y) + ')';
    bj::object arguments{{"x", step.at->x}, {"y", step.at->y}};
    if (const LlmTool* tool = replay_.offered({row.at_point})) {
      return act(step, *tool, std::move(arguments), std::string(row.told) + place);
    }
    const LlmTool* client = replay_.offered({"mouse_control"});
    if (client == nullptr) return missing(step, row.at_point);
    arguments["action"] = llm::jsv(row.client_action);
    arguments["find_coordinates_by"] = "manual";
    return act(step, *client, std::move(arguments), std::string(row.told) + place);
  }

  /// Clients that find what is to be clicked by its text.
  End click_by_client(const Step& step, const ClickRow& row) {
    const LlmTool* client = replay_.offered({"mouse_control"});
    if (client == nullptr) return missing(step, row.on_element);
    bj::object arguments{{"action", llm::jsv(row.client_action)},
                         {"find_coordinates_by", "ocr"},
                         {"ocr_text", step.what}};
    return act(step, *client, std::move(arguments), std::string(row.told) + quoted(step.what));
  }

  End type(const Step& step) {
    const LlmTool* tool = replay_.offered({"type_text", "keyboard_control"});
    if (tool == nullptr) return missing(step, "type_text");
    std::string place;
    if (!step.into.empty()) {
      const LlmTool* focus = replay_.offered({"focus_element", "click_element"});
      if (focus == nullptr) return missing(step, "focus_element");
      bj::object arguments;
      Element element;
      if (const End end = find_element(step, step.into, true, arguments, element);
          end != End::Done) {
        return end;
      }
      arguments["element_id"] = element.id;
      const Outcome* ready = replay_.call(*focus, arguments_of(*focus, std::move(arguments), step));
      if (ready == nullptr) return End::Due;
      if (!ready->ok) return refused(step, *ready);
      place = " into " + observed::describe(element);
    }
    bj::object arguments{{"text", step.what}};
    if (tool->name == "keyboard_control") arguments["action"] = "type";
    return act(step, *tool, std::move(arguments), "Typed " + quoted(step.what) + place);
  }

  End press(const Step& step) {
    std::string keys = lower(step.what);
    std::replace(keys.begin(), keys.end(), ' ', '+');
    for (std::size_t at = 0;
         (at = keys.find("++", at)) != std::string::npos && at + 2 < keys.size();) {
      keys.erase(at, 1);  // "ctrl + s"
    }
    if (const LlmTool* tool = replay_.offered({"press_key"})) {
      return act(step, *tool, {{"keys", keys}}, "Pressed " + keys);
    }
    const LlmTool* client = replay_.offered({"keyboard_control"});
    if (client == nullptr) return missing(step, "press_key");
    const bool several = keys.find('+') != std::string::npos;
    bj::object arguments{{"action", several ? "hotkey" : "press"}};
    arguments[has_property(*client, "keys") ? "keys" : "key"] = keys;
    return act(step, *client, std::move(arguments), "Pressed " + keys);
  }

  End scroll(const Step& step) {
    const bool up = step.verb == Verb::ScrollUp;
    const std::int64_t steps = step.number != 0 ? step.number : kWheelSteps;
    const std::string told = std::string("Scrolled ") + (up ? "up" : "down");
    if (const LlmTool* tool = replay_.offered({"scroll"})) {
      return act(step, *tool, {{"clicks", up ? steps : -steps}}, told);
    }
    const LlmTool* client = replay_.offered({"scroll_control"});
    if (client == nullptr) return missing(step, "scroll");
    return act(step, *client, {{"action", up ? "scroll_up" : "scroll_down"}, {"clicks", steps}},
               told);
  }

  End open(const Step& step) {
    const LlmTool* tool = replay_.offered({"open_app", "open_application", "launch_app"});
    if (tool == nullptr) return missing(step, "open_app");
    bj::object arguments;
    for (const std::string_view name : {"name", "app", "application", "command"}) {
      if (!has_property(*tool, name)) continue;
      arguments[llm::jsv(name)] = step.what;
      break;
    }
    if (arguments.empty()) arguments["command"] = step.what;
    const Outcome* opened = replay_.call(*tool, arguments_of(*tool, std::move(arguments), step));
    if (opened == nullptr) return End::Due;
    if (!opened->ok) return refused(step, *opened);
    const bj::value answer = llm::parse_or_null(opened->json);
    const std::string_view name = llm::text_of(answer, "application");
    const std::string app = name.empty() ? step.what : std::string(name);
    if (lower(llm::text_of(answer, "effect")) != "unverified") return done("Opened " + app + '.');
    // What follows is meant for its window.
    const std::string_view note = llm::text_of(answer, "note");
    return fail("I started " + app + ", but its window could not be seen" +
                (note.empty() ? "." : ": " + std::string(note) + '.'));
  }

  End switch_to(const Step& step) {
    if (const LlmTool* tool = replay_.offered({"bring_to_foreground"})) {
      bj::object arguments;
      if (const End end = find_window(step, arguments); end != End::Done) return end;
      return act(step, *tool, std::move(arguments),
                 "Brought " + quoted(step.where) + " to the front");
    }
    const LlmTool* client = replay_.offered({"switch_window"});
    if (client == nullptr) return missing(step, "bring_to_foreground");
    return act(step, *client, {{"tab_name", step.where}}, "Switched to " + quoted(step.where));
  }

  End wait_for(const Step& step) {
    const LlmTool* tool = replay_.offered({"wait_for"});
    if (tool == nullptr) return missing(step, "wait_for");
    bj::object arguments;
    if (const End end = find_window(step, arguments); end != End::Done) return end;
    const std::string pattern = name_pattern(step.what);
    arguments["any_of"] =
        bj::array{bj::object{{"type", "text_visible"}, {"regex", pattern}},
                  bj::object{{"type", "window_appears"}, {"title_regex", pattern}}};
    arguments["timeout_ms"] = step.number != 0 ? step.number : wait_ms_;
    const Outcome* outcome = replay_.call(*tool, arguments_of(*tool, std::move(arguments), step));
    if (outcome == nullptr) return End::Due;
    if (!outcome->ok) return refused(step, *outcome);
    return done(quoted(step.what) + " is there.");
  }

  End wait_seconds(const Step& step) {
    const LlmTool* tool = replay_.offered({"wait"});
    if (tool == nullptr) return missing(step, "wait");
    return act(step, *tool, {{"seconds", step.number / 1000}},
               "Waited " + std::to_string(step.number / 1000) + " s");
  }

  End read(const Step& step) {
    bj::object window;
    Element element;
    const End end = find_element(step, step.what, false, window, element);
    if (end != End::Done) return end;
    if (!element.value.empty()) return done(element.name + ": " + element.value);
    // What a label shows is its name.
    if (const std::string role = lower(element.role); role == "text" || role == "label") {
      return done(element.name);
    }
    return done(observed::describe(element) + " has no text besides its name.");
  }

  End screenshot(const Step& step) {
    const LlmTool* tool = replay_.offered({"get_screenshot", "screenshot"});
    if (tool == nullptr) return missing(step, "get_screenshot");
    bj::object arguments;
    if (!step.where.empty()) {
      if (const End end = find_window(step, arguments); end != End::Done) return end;
    }
    return act(step, *tool, std::move(arguments), "Took a screenshot");
  }

  Replay replay_;
  std::int64_t wait_ms_;
  std::string lines_;
};

const std::array<Plan::Row, 16> Plan::kRows{{{Verb::ListWindows, &Plan::list_windows},
                                             {Verb::Describe, &Plan::describe},
                                             {Verb::Click, &Plan::click},
                                             {Verb::DoubleClick, &Plan::click},
                                             {Verb::RightClick, &Plan::click},
                                             {Verb::Type, &Plan::type},
                                             {Verb::Press, &Plan::press},
                                             {Verb::ScrollUp, &Plan::scroll},
                                             {Verb::ScrollDown, &Plan::scroll},
                                             {Verb::Open, &Plan::open},
                                             {Verb::Switch, &Plan::switch_to},
                                             {Verb::WaitFor, &Plan::wait_for},
                                             {Verb::WaitSeconds, &Plan::wait_seconds},
                                             {Verb::Read, &Plan::read},
                                             {Verb::Screenshot, &Plan::screenshot},
                                             {Verb::Help, &Plan::help}}};

}  // namespace

Move next_move(const LlmChatRequest& request, std::int64_t wait_ms) {
  return Plan(request, wait_ms).run();
}

}  // namespace gantry::rules
