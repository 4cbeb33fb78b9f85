// SPDX-License-Identifier: Apache-2.0
// wait: for some time, a window, a text or an element.
#include <gantry/llm/json.hpp>
#include <gantry/observed.hpp>

#include <algorithm>

#include "tools.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;

constexpr std::int64_t kUsualWait = 10'000;  // ms
constexpr double kLongest = 3600;            // s; the configuration says less

bool is_selector(const std::string& text) {
  return text.find('/') != std::string::npos || text.find('[') != std::string::npos;
}

/// The conditions that end the wait, as wait_for takes them; empty: only time does.
json::array conditions_of(const Arguments& arguments) {
  json::array out;
  if (const std::string title = arguments.text("for_window"); !title.empty()) {
    out.push_back(
        json::object{{"type", "window_appears"}, {"title_regex", observed::name_pattern(title)}});
  }
  if (const std::string text = arguments.text("for_text"); !text.empty()) {
    out.push_back(json::object{{"type", "text_visible"}, {"regex", observed::name_pattern(text)}});
  }
  if (const std::string element = arguments.text("for_element"); !element.empty()) {
    const std::string pattern = observed::name_pattern(element).substr(4);
    out.push_back(json::object{
        {"type", "element_appears"},
        {"selector", is_selector(element) ? element : "//*[name~=\"(?i).*" + pattern + ".*\"]"}});
  }
  return out;
}

Task<ToolResult> wait_time(Run& run, std::int64_t ms) {
  const std::int64_t began = run.now_ms();
  while (!run.cancelled() && run.now_ms() < began + ms) {
    (void)co_await run.pause(began + ms - run.now_ms());
  }
  if (run.cancelled()) co_return failed("Cancelled", "the caller gave up");
  co_return done({{"action", "wait"}, {"waited_ms", ms}});
}

Task<ToolResult> wait_for(Run& run, json::array conditions, std::int64_t ms) {
  const std::int64_t began = run.now_ms();
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>(0, began + ms - run.now_ms());
    json::object arguments{{"any_of", conditions}, {"timeout_ms", left}};
    add_window(run.arguments, arguments);
    std::string tool = "wait_for";
    const Seen seen = co_await run.observe(std::move(tool), std::move(arguments), left);
    const std::int64_t waited = run.now_ms() - began;
    if (seen.ok) {
      json::object out{{"action", "wait"}, {"waited_ms", waited}, {"matched", true}};
      if (const json::value* detail = seen.answer.if_contains("matched_detail")) {
        out["detail"] = *detail;
      }
      co_return done(std::move(out));
    }
    if (run.cancelled()) co_return failed("Cancelled", "the caller gave up");
    // The observer may allow shorter waits than are allowed here.
    const bool goes_on = seen.code == "Timeout" && seen.answer.contains("polls") &&
                         run.now_ms() < began + ms && run.now_ms() > began;
    if (!goes_on) co_return failed(seen);
  }
}

Task<ToolResult> wait(Run& run) {
  json::array conditions = conditions_of(run.arguments);
  const auto asked = run.arguments.number("seconds");
  if (!asked && conditions.empty()) {
    co_return failed("BadRequest",
                     "seconds, for_window, for_text or for_element must say what to wait for");
  }
  const std::int64_t most = run.settings().wait.max;
  const std::int64_t ms = asked ? static_cast<std::int64_t>(*asked * 1000) : kUsualWait;
  if (ms > most) {
    co_return failed("BadRequest", "at most " + std::to_string(most / 1000) +
                                       " seconds can be waited at once (tools_desktop.wait.max)");
  }
  if (conditions.empty()) co_return co_await wait_time(run, ms);
  co_return co_await wait_for(run, std::move(conditions), ms);
}

constexpr Parameter kWait[] = {
    {"seconds",
     Kind::Number,
     "How long; with something to wait for the longest time, 10 when not given.",
     false,
     {},
     0,
     kLongest},
    {"for_window", Kind::Text, "Until a window with this in its title opens."},
    {"for_text", Kind::Text, "Until this can be read in the window."},
    {"for_element", Kind::Text, "Until an element with this name, or this selector, is there."},
    kWindowTitle,
    kWindowUid,
    kExplanation,
};

constexpr Tool kWaitTools[] = {
    {"wait", "Wait",
     "Waits some seconds, or until a window, a text or an element is there. The first of several "
     "ends it; when none came it fails.",
     kWait, wait, true, false, true, false, true},
};

}  // namespace

std::span<const Tool> wait_tools() { return kWaitTools; }

}  // namespace gantry::desk
