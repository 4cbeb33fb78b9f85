// SPDX-License-Identifier: Apache-2.0
#include "pointing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "hands.hpp"
#include "selector.hpp"
#include "time_units.hpp"
#include "verbs.hpp"

namespace gantry::observation {
namespace {

bool is_on(const WindowInfo& window, ScreenPoint point) {
  return window.mapped && !window.minimized && reach(window).contains(point.x, point.y);
}

/// Pop-ups lie above all windows; among each other, and windows, the higher one wins.
const WindowInfo* topmost_at(const std::vector<WindowInfo>& windows, ScreenPoint point) {
  const WindowInfo* best = nullptr;
  for (const WindowInfo& window : windows) {
    if (!is_on(window, point)) continue;
    const bool higher = best == nullptr || (window.transient && !best->transient) ||
                        (window.transient == best->transient && window.stacking >= best->stacking);
    if (higher) best = &window;
  }
  return best;
}

/// The window in whose tree a pop-up's elements are: one of the same process, the focused first.
const WindowInfo& owner_of(const std::vector<WindowInfo>& windows, const WindowInfo& window) {
  if (!window.transient || window.pid == 0) return window;
  const WindowInfo* owner = &window;
  for (const WindowInfo& other : windows) {
    if (other.transient || other.pid != window.pid) continue;
    if (owner == &window || other.focused) owner = &other;
  }
  return *owner;
}

/// A tree is welcome, but a window without one can be clicked all the same. One that does not
/// answer may have anything there: where rules are about elements nothing is done to it.
Outcome<bool> without_tree(const Engine& engine, const Failure& why) {
  if (why.fault != Fault::Timeout || !engine.redaction.rules().judges_targets) return false;
  Failure out = why;
  out.message += "; there are rules about elements, so nothing was done";
  return out;
}

Task<Outcome<bool>> read_tree(Act& act) {
  if (act.window.info.uid.empty()) co_return false;
  const Outcome<TreeCapture> capture =
      co_await act.engine.trees.get(act.window.info, Freshness::Fresh);
  if (!capture.ok()) co_return without_tree(act.engine, capture.failure());
  act.tree = capture->tree;
  act.receipt.before = moment_of(*act.tree);
  co_return true;
}

void take_element(Act& act, const Node* node) {
  act.element.node = node;
  if (node == nullptr) return;
  act.receipt.element_id = node->id;
  act.receipt.bounds = node->bounds;
  act.element.selector = derive_selector(act.tree->root, *node);
  act.receipt.selector = act.element.selector;
}

Outcome<bool> check_named_window(const Act& act, ScreenPoint point) {
  const WindowInfo& info = act.window.info;
  if (info.minimized || !info.mapped) {
    return failure(Fault::WindowOccluded,
                   fmt::format("window '{}' is minimised and has no pixels to click; bring it to "
                               "the foreground first",
                               info.uid),
                   {{"window_uid", info.uid}, {"window", info.title}});
  }
  const Rect& area = reach(info);
  if (!area.contains(point.x, point.y)) {
    return failure(
        Fault::BadRequest,
        fmt::format("({}, {}) lies outside window '{}', which covers x {}..{} and y {}..{}",
                    point.x, point.y, info.uid, area.x, area.x + area.width - 1, area.y,
                    area.y + area.height - 1),
        {{"window_uid", info.uid}, {"window", info.title}});
  }
  if (act.engine.directory.is_mock()) return true;
  const WindowInfo* top = topmost_at(act.around, point);
  if (top == nullptr || owner_of(act.around, *top).uid == info.uid) return true;
  return failure(Fault::WindowOccluded,
                 fmt::format("at ({}, {}) window '{}' is covered by '{}'", point.x, point.y,
                             info.uid, top->uid),
                 {{"window_uid", info.uid}, {"covered_by", top->uid}});
}

}  // namespace

Outcome<std::optional<ScreenPoint>> point_of(const Arguments& arguments) {
  const auto x = arguments.integer("x");
  if (!x.ok()) return x.failure();
  const auto y = arguments.integer("y");
  if (!y.ok()) return y.failure();
  if (!*x && !*y) return std::optional<ScreenPoint>();
  if (!*x || !*y) {
    return failure(Fault::BadRequest,
                   fmt::format("x and y belong together, but {} is missing", *x ? "y" : "x"));
  }
  const auto fits = [](std::int64_t value) {
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
  };
  if (!fits(**x) || !fits(**y)) {
    return failure(Fault::BadRequest, fmt::format("the point ({}, {}) is on no screen", **x, **y));
  }
  return std::optional<ScreenPoint>(
      ScreenPoint{static_cast<std::int32_t>(**x), static_cast<std::int32_t>(**y)});
}

Act new_act(Engine& engine, const ToolCall& call) {
  return Act{engine, call, {}, {}, {}, {}, {}, {}, {}, 0, {}, {}, {}};
}

Task<Outcome<bool>> aim_at(Act& act, ScreenPoint point) {
  Engine& engine = act.engine;
  const Outcome<WindowSelector> named = window_selector(act.call.arguments);
  if (!named.ok()) co_return named.failure();
  const Answer<WindowList> all = co_await engine.desktop.all_windows();
  if (all.ok()) act.around = (*all)->windows;
  if (named->given()) {
    Outcome<ChosenWindow> window = co_await window_for_act(engine, act.call);
    if (!window.ok()) co_return window.failure();
    act.window = std::move(*window);
    const Outcome<bool> fits = check_named_window(act, point);
    if (!fits.ok()) co_return fits.failure();
  } else if (const WindowInfo* top = topmost_at(act.around, point)) {
    act.window.info = owner_of(act.around, *top);
  }
  act.receipt.window_uid = act.window.info.uid;
  const Outcome<bool> readable = co_await read_tree(act);
  if (!readable.ok()) co_return readable.failure();
  if (!*readable) co_return true;
  take_element(act, element_at(act.tree->root, point));
  co_return check_known(engine, act.tree.get(), act.element.node);
}

Task<Outcome<bool>> aim_at_focus(Act& act) {
  Engine& engine = act.engine;
  const Answer<WindowList> all = co_await engine.desktop.all_windows();
  if (all.ok()) act.around = (*all)->windows;
  const auto focused = std::find_if(act.around.begin(), act.around.end(),
                                    [](const WindowInfo& window) { return window.focused; });
  if (focused != act.around.end()) act.window.info = *focused;
  act.receipt.window_uid = act.window.info.uid;
  const Outcome<bool> readable = co_await read_tree(act);
  if (!readable.ok()) co_return readable.failure();
  if (!*readable) co_return true;
  take_element(act, find_focused(act.tree->root));
  co_return check_known(engine, act.tree.get(), act.element.node);
}

Task<Outcome<std::vector<GateTarget>>> targets_at(Act& act, ScreenPoint point) {
  const WindowInfo* const top = topmost_at(act.around, point);
  if (top == nullptr) co_return std::vector<GateTarget>{gate_target(WindowInfo(), nullptr, {})};
  const WindowInfo window = owner_of(act.around, *top);
  std::shared_ptr<const Tree> tree = act.tree;
  if (window.uid != act.window.info.uid) {
    const Outcome<TreeCapture> capture = co_await act.engine.trees.get(window, Freshness::Fresh);
    tree = capture.ok() ? capture->tree : nullptr;
    if (!capture.ok()) {
      const Outcome<bool> judged = without_tree(act.engine, capture.failure());
      if (!judged.ok()) co_return judged.failure();
    }
  }
  const Node* const there = tree != nullptr ? element_at(tree->root, point) : nullptr;
  const Outcome<bool> clear = check_known(act.engine, tree.get(), there);
  if (!clear.ok()) co_return clear.failure();
  co_return gate_targets(window, tree.get(), there, {});
}

Task<Outcome<Turn>> take_turn(Engine& engine, const ToolCall& call) {
  Outcome<InputLane::Turn> granted = co_await engine.lane.enter(call.caller, call.life);
  if (!granted.ok()) co_return granted.failure();
  co_return Turn{std::move(*granted), new_act(engine, call)};
}

Task<Outcome<Turn>> take_aim(Engine& engine, const ToolCall& call,
                             std::optional<ScreenPoint> point) {
  Outcome<Turn> turn = co_await take_turn(engine, call);
  if (!turn.ok()) co_return turn;
  Act& act = turn->act;
  Task<Outcome<bool>> aiming = point ? aim_at(act, *point) : aim_at_focus(act);
  const Outcome<bool> aimed = co_await std::move(aiming);
  if (!aimed.ok()) co_return aimed.failure();
  std::vector<GateTarget> targets = gate_targets(act, std::nullopt);
  const Outcome<bool> allowed = co_await admit_targets(engine, call, std::move(targets));
  if (!allowed.ok()) co_return allowed.failure();
  co_return turn;
}

Task<Outcome<Ref<InputReceipt>>> carry_through(Act& act, Send send, std::int64_t pause_ms) {
  Engine& engine = act.engine;
  const std::int64_t began = engine.desktop.monotonic_ns();
  act.pulse = engine.pulse.serial();
  const Answer<InputReceipt> answer = co_await send();
  engine.trees.forget_all();
  Outcome<Deed> deed = delivered(answer);
  if (!deed.ok()) co_return deed.failure();
  act.receipt.deed = std::move(*deed);
  if (pause_ms > 0) (void)co_await pause(engine, act.call.life, pause_ms);
  (void)co_await finish_aimed(act, began);
  co_return *answer;
}

Task<bool> finish_aimed(Act& act, std::int64_t began_ns) {
  if (act.element.node != nullptr) {
    const std::shared_ptr<const Tree> first = act.tree;
    co_return co_await finish_act(act, *first, began_ns);
  }
  (void)co_await let_settle(act);
  act.engine.trees.forget_all();
  const Answer<WindowList> all = co_await act.engine.desktop.all_windows();
  if (all.ok()) {
    for (const WindowInfo& window : windows_added(act.around, (*all)->windows)) {
      if (!window.transient) act.receipt.new_windows.push_back(window);
    }
  }
  Deed& deed = act.receipt.deed;
  if (act.engine.directory.is_mock() && deed.route != "scenario") deed.effect = Effect::NoOp;
  act.receipt.duration_ms =
      (act.engine.desktop.monotonic_ns() - began_ns) / kNanosecondsPerMillisecond;
  co_return true;
}

}  // namespace gantry::observation
