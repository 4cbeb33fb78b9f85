// SPDX-License-Identifier: Apache-2.0
// get_open_windows and switch_window.
#include <gantry/llm/json.hpp>
#include <gantry/observed.hpp>
#include <gantry/pattern.hpp>

#include <algorithm>
#include <functional>
#include <optional>

#include "tools.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;
using observed::Window;

constexpr std::size_t kMostWindows = 200;  // in an answer
constexpr std::size_t kMostChoices = 10;

json::object window_json(const Window& window) {
  json::object out{{"window_uid", window.uid}, {"title", window.title}};
  if (!window.process.empty()) out["process"] = window.process;
  out["focused"] = window.focused;
  if (window.minimized) out["minimized"] = true;
  return out;
}

json::array windows_json(const std::vector<Window>& windows, std::size_t most) {
  json::array out;
  for (std::size_t i = 0; i < std::min(windows.size(), most); ++i) {
    out.push_back(window_json(windows[i]));
  }
  return out;
}

Task<Seen> list(Run& run) {
  std::string tool = "list_windows";
  json::object none;
  return run.observe(std::move(tool), std::move(none));
}

Task<ToolResult> get_open_windows(Run& run) {
  const Seen seen = co_await list(run);
  if (!seen.ok) co_return failed(seen);
  const std::vector<Window> windows = observed::read_windows(seen.text);
  json::object out{{"action", "get_open_windows"}, {"count", windows.size()}};
  out["windows"] = windows_json(windows, kMostWindows);
  if (windows.size() > kMostWindows) out["truncated"] = true;
  co_return done(std::move(out));
}

/// The windows whose title is meant. An error is what is wrong with the expression.
Result<std::vector<Window>> matching(const std::vector<Window>& windows, const std::string& name,
                                     const std::string& mode) {
  std::function<bool(const std::string&)> fits;
  if (mode == "exact") {
    fits = [&](const std::string& title) { return title == name; };
  } else if (mode == "regex") {
    auto compiled = Pattern::compile(name);
    if (!compiled.ok()) return compiled.error();
    const auto pattern = std::make_shared<const Pattern>(std::move(*compiled));
    fits = [pattern](const std::string& title) { return pattern->search(title); };
  } else {
    // As people name windows: the same, then what begins with it, then what has it.
    std::vector<Window> close = observed::match_windows(windows, name);
    if (!close.empty()) return close;
    const std::string wanted = observed::lower(name);
    fits = [wanted](const std::string& title) {
      return observed::lower(title).find(wanted) != std::string::npos;
    };
  }
  std::vector<Window> out;
  std::copy_if(windows.begin(), windows.end(), std::back_inserter(out),
               [&](const Window& window) { return fits(window.title); });
  return out;
}

ToolResult not_clear(const std::string& name, const std::vector<Window>& found,
                     const std::vector<Window>& all) {
  const bool none = found.empty();
  json::object context{
      {none ? "windows" : "candidates", windows_json(none ? all : found, kMostChoices)}};
  return failed(none ? "WindowNotFound" : "AmbiguousWindow",
                none ? "no window is called '" + name + "'"
                     : std::to_string(found.size()) + " windows are called '" + name +
                           "'; name one by its window_uid",
                std::move(context));
}

Task<ToolResult> raise(Run& run, std::string window_uid, std::string title) {
  json::object which{{"window_uid", window_uid}};
  std::string tool = "bring_to_foreground";
  const Seen seen = co_await run.observe(std::move(tool), std::move(which));
  if (!seen.ok) co_return failed(seen);
  json::object out{{"action", "switch_window"}};
  if (!title.empty()) out["window"] = title;
  for (const auto& [name, value] : receipt_of(seen)) out[name] = value;
  co_return done(std::move(out));
}

Task<ToolResult> switch_window(Run& run) {
  std::string uid = run.arguments.text("window_uid");
  const std::string name = run.arguments.text("tab_name");
  std::string title;
  if (uid.empty() && name.empty()) {
    co_return failed("BadRequest", "tab_name or window_uid must name a window");
  }
  if (!uid.empty()) co_return co_await raise(run, std::move(uid), std::move(title));
  const Seen seen = co_await list(run);
  if (!seen.ok) co_return failed(seen);
  const std::vector<Window> windows = observed::read_windows(seen.text);
  const auto found = matching(windows, name, run.arguments.text("match_mode"));
  if (!found.ok()) co_return failed("BadRequest", found.error().message);
  if (found->size() != 1) co_return not_clear(name, *found, windows);
  uid = found->front().uid;
  title = found->front().title;
  co_return co_await raise(run, std::move(uid), std::move(title));
}

constexpr Parameter kList[] = {kExplanation};
constexpr Parameter kSwitch[] = {
    {"tab_name", Kind::Text, "The window's title, or a part of it."},
    {"match_mode", Kind::Text,
     "How tab_name is meant: contains (default; the same title goes before one that begins with it "
     "and that before one that has it), exact, or regex.",
     false, "exact|contains|regex"},
    kWindowUid,
    kExplanation,
};

constexpr Tool kWindowTools[] = {
    {"get_open_windows", "Open windows", "Lists the open windows, the one in front first.", kList,
     get_open_windows, true, false, true},
    {"switch_window", "Switch to a window",
     "Brings a window to the front and gives it the keyboard. A title that several windows have is "
     "refused with the candidates.",
     kSwitch, switch_window, false, false, true},
};

}  // namespace

std::span<const Tool> window_tools() { return kWindowTools; }

}  // namespace gantry::desk
