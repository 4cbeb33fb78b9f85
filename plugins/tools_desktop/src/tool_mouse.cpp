// SPDX-License-Identifier: Apache-2.0
// mouse_control and scroll_control.
#include <gantry/llm/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "grounding.hpp"
#include "tools.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;
using llm::jsv;

constexpr double kLongestDrag = 30;  // s
constexpr double kLongestRest = 10;  // s
constexpr double kFarthest = 1'000'000;
constexpr double kMostClicks = 100;
constexpr std::int64_t kUsualClicks = 3;

/// The observer's tools for one action of the pointer.
struct Action {
  std::string_view name;
  std::string_view on_element;
  std::string_view at_point;
};
constexpr std::array<Action, 4> kActions{
    {{"click", "click_element", "click_at"},
     {"double_click", "double_click_element", "double_click_at"},
     {"right_click", "right_click_element", "right_click_at"},
     {"move", "hover_element", "hover_at"}}};

void add_target(const Target& target, json::object& out) {
  if (!target.element_id.empty()) {
    out["element_id"] = target.element_id;
  } else {
    out["x"] = target.x;
    out["y"] = target.y;
  }
}

/// Where an element is looked for; a point is checked to be in it.
void add_target_window(const Run& run, const Target& target, json::object& out) {
  if (target.window_uid.empty()) {
    add_window(run.arguments, out);
  } else {
    out["window_uid"] = target.window_uid;
  }
}

ToolResult answer(const Seen& seen, std::string_view action, const Target& target) {
  if (!seen.ok) return failed(seen);
  json::object out{{"action", jsv(action)}, {"on", target.words}};
  out["coordinate_method"] = target.method;
  if (!target.source.empty()) out["source"] = target.source;
  for (const auto& [name, value] : receipt_of(seen)) out[name] = value;
  return done(std::move(out));
}

Task<bool> rest(Run& run) {
  const auto seconds = run.arguments.number("wait");
  if (!seconds) co_return true;
  const std::int64_t until = run.now_ms() + static_cast<std::int64_t>(*seconds * 1000);
  while (!run.cancelled() && run.now_ms() < until) {
    (void)co_await run.pause(until - run.now_ms());
  }
  co_return true;
}

Task<ToolResult> press(Run& run, std::string action, Target target) {
  // A right click by another name.
  const std::string button = run.arguments.text("button");
  if (action == "click" && button == "right") action = "right_click";
  const auto* const row = std::find_if(kActions.begin(), kActions.end(),
                                       [&](const Action& one) { return one.name == action; });
  const bool element = !target.element_id.empty();
  json::object arguments;
  add_target(target, arguments);
  add_target_window(run, target, arguments);
  if (action == "click" && !button.empty()) arguments["button"] = button;
  std::string tool(element ? row->on_element : row->at_point);
  const Seen seen = co_await run.observe(std::move(tool), std::move(arguments));
  if (seen.ok) (void)co_await rest(run);
  co_return answer(seen, action, target);
}

json::object end_of(const Target& target) {
  json::object out;
  add_target(target, out);
  return out;
}

Task<ToolResult> drag(Run& run, Target from) {
  std::string prefix = "drag_to_";
  Grounded to = co_await ground(run, std::move(prefix));
  if (to.refusal) co_return std::move(*to.refusal);
  if (!to.target) {
    co_return failed("BadRequest",
                     "drag_to_x and drag_to_y, or another drag_to_…, must say where it ends");
  }
  json::object arguments{{"from", end_of(from)}, {"to", end_of(*to.target)}};
  add_target_window(run, from, arguments);
  if (!arguments.contains("window_uid") && !to.target->window_uid.empty()) {
    arguments["window_uid"] = to.target->window_uid;
  }
  if (const auto seconds = run.arguments.number("duration")) arguments["duration_s"] = *seconds;
  std::string tool = "drag";
  const Seen seen = co_await run.observe(std::move(tool), std::move(arguments));
  if (seen.ok) (void)co_await rest(run);
  Target both = from;
  both.words += " to " + to.target->words;
  co_return answer(seen, "drag", both);
}

Task<ToolResult> mouse_control(Run& run) {
  std::string action = run.arguments.text("action");
  std::string prefix;
  Grounded found = co_await ground(run, std::move(prefix));
  if (found.refusal) co_return std::move(*found.refusal);
  if (!found.target) {
    co_return failed("BadRequest",
                     "x and y, element_id, ocr_text, source_description or candidate_id must say "
                     "what to " +
                         action);
  }
  Target target = std::move(*found.target);
  if (action == "drag") co_return co_await drag(run, std::move(target));
  co_return co_await press(run, std::move(action), std::move(target));
}

/// Wheel steps, up is positive.
std::int64_t clicks_of(const Arguments& arguments) {
  const std::string action = arguments.text("action");
  const std::string direction = arguments.text("direction");
  const std::int64_t clicks = arguments.integer("clicks").value_or(kUsualClicks);
  if (action == "scroll_up" || (action == "scroll" && direction == "up")) return std::abs(clicks);
  if (action == "scroll_down" || direction == "down") return -std::abs(clicks);
  // Without a direction a number's sign says it; without a number it goes on reading.
  return arguments.has("clicks") ? clicks : -kUsualClicks;
}

/// Puts the pointer over an element; where it is then.
Task<Seen> hover(Run& run, Target& target) {
  json::object arguments{{"element_id", target.element_id}};
  add_target_window(run, target, arguments);
  std::string tool = "hover_element";
  const Seen seen = co_await run.observe(std::move(tool), std::move(arguments));
  const json::value whole(seen.answer);
  if (const json::value* bounds = llm::at(whole, {"target", "bounds"})) {
    const auto side = [&](std::string_view name) {
      return llm::number_of(*bounds, name).value_or(0);
    };
    target.x = side("x") + side("width") / 2;
    target.y = side("y") + side("height") / 2;
  }
  co_return seen;
}

Task<ToolResult> scroll_control(Run& run) {
  std::string prefix;
  Grounded found = co_await ground(run, std::move(prefix));
  if (found.refusal) co_return std::move(*found.refusal);
  json::object arguments{{"clicks", clicks_of(run.arguments)}};
  Target target;
  target.words = "where the pointer is";
  if (found.target) {
    target = std::move(*found.target);
    if (!target.element_id.empty()) {
      const Seen over = co_await hover(run, target);
      if (!over.ok) co_return failed(over);
    }
    arguments["x"] = target.x;
    arguments["y"] = target.y;
  }
  std::string tool = "scroll";
  const Seen seen = co_await run.observe(std::move(tool), std::move(arguments));
  co_return answer(seen, "scroll", target);
}

constexpr std::string_view kFindBy = "manual|element|ocr|prediction";
/// Where it is: the same for every tool of the pointer.
constexpr Parameter kPlace[] = {
    {"find_coordinates_by", Kind::Text,
     "How it is found: manual (x, y), element (element_id), ocr (ocr_text), prediction "
     "(source_description). Not needed: what is given says it.",
     false, kFindBy},
    {"x", Kind::Integer, "Screen pixels from the left.", false, {}, -kFarthest, kFarthest},
    {"y", Kind::Integer, "Screen pixels from the top.", false, {}, -kFarthest, kFarthest},
    {"element_id", Kind::Text,
     "An element by the id of the last tree that was read of its window."},
    {"ocr_text", Kind::Text,
     "The words that it shows: an element's name, else words in the picture."},
    {"source_description", Kind::Text,
     "What it is, as a person names it: Save button, Name field."},
    {"candidate_id", Kind::Text, "One of the candidates of the last answer that had some."},
    kWindowTitle,
    kWindowUid,
};

template <std::size_t... Sizes>
constexpr auto joined(const Parameter (&... parts)[Sizes]) {
  std::array<Parameter, (Sizes + ...)> out{};
  auto* place = out.data();
  ((place = std::copy(std::begin(parts), std::end(parts), place)), ...);
  return out;
}

constexpr Parameter kMouseDeed[] = {
    {"action", Kind::Text, "What the pointer does.", true,
     "click|double_click|right_click|move|drag"},
};
constexpr Parameter kMouseMore[] = {
    {"button", Kind::Text, "Button of a click; left when not given.", false, "left|right|middle"},
    {"drag_to_find_coordinates_by", Kind::Text, "The same for where a drag ends.", false, kFindBy},
    {"drag_to_x",
     Kind::Integer,
     "Where a drag ends, screen pixels from the left.",
     false,
     {},
     -kFarthest,
     kFarthest},
    {"drag_to_y",
     Kind::Integer,
     "Where a drag ends, screen pixels from the top.",
     false,
     {},
     -kFarthest,
     kFarthest},
    {"drag_to_element_id", Kind::Text, "Where a drag ends, by element."},
    {"drag_to_ocr_text", Kind::Text, "Where a drag ends, by the words that it shows."},
    {"drag_to_source_description", Kind::Text, "Where a drag ends, by description."},
    {"drag_to_candidate_id", Kind::Text, "Where a drag ends, by candidate."},
    {"duration",
     Kind::Number,
     "Seconds that a drag is on its way; 0.5 when not given.",
     false,
     {},
     0,
     kLongestDrag},
    {"wait", Kind::Number, "Seconds to wait afterwards.", false, {}, 0, kLongestRest},
    kExplanation,
};

constexpr auto kMouse = joined(kMouseDeed, kPlace, kMouseMore);

constexpr Parameter kScrollDeed[] = {
    {"action", Kind::Text, "scroll goes where direction or the sign of clicks says, else down.",
     true, "scroll|scroll_up|scroll_down"},
    {"clicks",
     Kind::Integer,
     "Steps of the wheel; 3 when not given. Positive is up.",
     false,
     {},
     -kMostClicks,
     kMostClicks},
    {"direction", Kind::Text, "Of scroll.", false, "up|down"},
};
constexpr Parameter kScrollMore[] = {kExplanation};
constexpr auto kScroll = joined(kScrollDeed, kPlace, kScrollMore);

constexpr Tool kMouseTools[] = {
    {"mouse_control", "Mouse",
     "Clicks, moves or drags: at a point, an element, the words that something shows, or what a "
     "description names. A name that fits several things is refused with the candidates. effect "
     "says what was seen to come of it.",
     kMouse, mouse_control, false, true, false, true},
    {"scroll_control", "Scroll", "Turns the mouse wheel over a point, an element or the pointer.",
     kScroll, scroll_control, false, false, false, true},
};

}  // namespace

std::span<const Tool> mouse_tools() { return kMouseTools; }

}  // namespace gantry::desk
