// SPDX-License-Identifier: Apache-2.0
// Which parts of a window can be seen, and raising it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hands.hpp"
#include "node_json.hpp"
#include "pointing.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::int32_t kRaiseTimeout = 1000;  // ms
// Observer contract 2.9: what counts as a title bar.
constexpr std::array<std::string_view, 5> kTitleRoles{"TitleBar", "AXTitleBar", "title bar",
                                                      "Title bar", "AXWindow"};
constexpr int kTitleBarDepth = 4;
constexpr std::int32_t kTitleReach = 40;
constexpr std::int32_t kTitleHeight = 48;

Failure window_required() {
  return failure(Fault::BadRequest, "window_uid or window_index is required");
}

/// The window that the call names; these tools take none by default.
Task<Outcome<ChosenWindow>> required_window(Engine& engine, const ToolCall& call) {
  const Outcome<WindowSelector> selector = window_selector(call.arguments);
  if (!selector.ok()) co_return selector.failure();
  if (!selector->given()) co_return window_required();
  co_return co_await engine.directory.choose(call.arguments, MissingWindow::Refuse);
}

/// What of a window can be seen. Empty: nothing, or it is minimised.
Task<std::vector<Rect>> seen_parts(Engine& engine, const WindowInfo& window) {
  if (window.minimized || !window.mapped) co_return std::vector<Rect>();
  std::optional<Rect> screen;
  const Answer<MonitorList> monitors = co_await engine.directory.monitors();
  if (monitors.ok()) screen = screen_of(**monitors);
  std::vector<Rect> covers;
  const Answer<WindowList> all = co_await engine.desktop.all_windows();
  if (all.ok() && !engine.directory.is_mock()) covers = frames_above((*all)->windows, window);
  co_return visible_parts(window.bounds, screen, covers);
}

Task<ToolOutcome> get_visible_areas(Engine& engine, const ToolCall& call) {
  const Outcome<ChosenWindow> window = co_await required_window(engine, call);
  if (!window.ok()) co_return window.failure();
  const std::vector<Rect> parts = co_await seen_parts(engine, window->info);
  JsonArray regions;
  for (const Rect& part : parts) regions.add(rect_json(part));
  JsonObject out;
  out.add("window", window->info.title);
  if (!call.plain) out.add("window_uid", window->info.uid);
  out.add("visible_regions", regions.done());
  out.add_if("warning", window->warning);
  co_return out;
}

bool is_title_bar(const Node& node, const WindowInfo& window) {
  if (std::find(kTitleRoles.begin(), kTitleRoles.end(), node.role) != kTitleRoles.end()) {
    return !node.bounds.empty();
  }
  return node.name == window.title && node.bounds.height > 0 &&
         node.bounds.height <= kTitleHeight &&
         std::abs(node.bounds.y - window.bounds.y) <= kTitleReach;
}

std::optional<Rect> title_bar_of(const Tree& tree, const WindowInfo& window) {
  std::optional<Rect> found;
  walk(tree.root, [&](const Node& node, int depth) {
    if (!found && depth > 0 && depth <= kTitleBarDepth && is_title_bar(node, window)) {
      found = node.bounds;
    }
  });
  return found;
}

/// Asks the window system. Nothing when it did not do it; `why` then says what it answered.
Task<std::optional<Deed>> raise_natively(Engine& engine, const WindowInfo& window,
                                         std::string& why) {
  ActivateWindowRequest request;
  request.handle = window.handle;
  request.timeout_ms = kRaiseTimeout;
  const Answer<ActivateWindowResult> answer = co_await engine.desktop.activate(std::move(request));
  if (!answer.ok()) {
    why = answer.error().message;
    co_return std::nullopt;
  }
  const ActivateWindowResult& result = **answer;
  if (!result.active) {
    why = fmt::format("{}: the window did not become active", result.route);
    co_return std::nullopt;
  }
  co_return Deed{Effect::Confirmed, result.route, result.evidence, {}};
}

void add_deed(JsonObject& out, const Deed& deed) {
  out.add("effect", effect_name(deed.effect));
  out.add_if("route", deed.route);
  out.add_if("evidence", deed.evidence);
}

/// Clicks a harmless point of the window, as the protocol has it where the system does not help.
Task<ToolOutcome> raise_by_click(Engine& engine, const ToolCall& call, const WindowInfo& window,
                                 const std::string& why, JsonObject out) {
  const std::vector<Rect> parts = co_await seen_parts(engine, window);
  if (parts.empty()) {
    co_return failure(Fault::WindowOccluded,
                      fmt::format("window '{}' could not be raised ({}), and no part of it can be "
                                  "clicked",
                                  window.title, why),
                      {{"window_uid", window.uid}});
  }
  std::optional<Rect> title_bar;
  const Outcome<TreeCapture> capture = co_await engine.trees.get(window, Freshness::Cached);
  if (capture.ok()) title_bar = title_bar_of(*capture->tree, window);
  const ScreenPoint point = raising_point(parts, title_bar);
  PointerRequest request;
  request.action = PointerAction::Click;
  request.x = point.x;
  request.y = point.y;
  request.intent = intent_of(call);
  const Answer<InputReceipt> receipt = co_await engine.desktop.pointer(std::move(request));
  engine.trees.forget_all();
  Outcome<Deed> deed = delivered(receipt);
  if (!deed.ok()) co_return deed.failure();
  if (engine.directory.is_mock()) deed->effect = Effect::NoOp;
  out.add("action", "click_at");
  out.add("clicked_x", point.x);
  out.add("clicked_y", point.y);
  out.add("api_note", why);
  out.add_if("note", deed->note);
  add_deed(out, *deed);
  co_return out;
}

Task<ToolOutcome> bring_to_foreground(Engine& engine, const ToolCall& call) {
  std::optional<InputLane::Turn> turn;
  Outcome<InputLane::Turn> granted = co_await engine.lane.enter(call.caller, call.life);
  if (!granted.ok()) co_return granted.failure();
  turn.emplace(std::move(*granted));
  const Outcome<ChosenWindow> window = co_await required_window(engine, call);
  if (!window.ok()) co_return window.failure();
  const WindowInfo& info = window->info;
  std::vector<GateTarget> targets{gate_target(info, nullptr, {})};
  const Outcome<bool> allowed = co_await admit_targets(engine, call, std::move(targets));
  if (!allowed.ok()) co_return allowed.failure();

  JsonObject out;
  out.add("window", info.title);
  out.add("window_uid", info.uid);
  if (call.plain) out.add("success", true);
  out.add_if("warning", window->warning);
  if (call.arguments.flag("dry_run")) {
    out.add("action", "activate_api");
    out.add("dry_run", true);
    out.add("effect", effect_name(Effect::NoOp));
    co_return out;
  }
  std::string why;
  const std::optional<Deed> raised = co_await raise_natively(engine, info, why);
  if (!raised) co_return co_await raise_by_click(engine, call, info, why, std::move(out));
  engine.trees.forget_all();
  out.add("action", "activate_api");
  out.add("note", "the window system says that it is the active window now");
  add_deed(out, *raised);
  co_return out;
}

constexpr Parameter kVisible[] = {kWindowUid, kWindowIndex, kWindowTitle};
constexpr Parameter kRaise[] = {kWindowUid, kWindowIndex, kWindowTitle, kDryRun, kConfirmToken};

constexpr Tool kVisibleTools[] = {
    {"bring_to_foreground", bring_to_foreground, ToolKind::Act, true,
     "Raises a window and gives it the keyboard.", kRaise},
    {"get_visible_areas", get_visible_areas, ToolKind::Read, true,
     "The rectangles of a window that no other window covers.", kVisible},
};

}  // namespace

std::span<const Tool> visible_tools() { return kVisibleTools; }

}  // namespace gantry::observation
