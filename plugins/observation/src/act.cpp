// SPDX-License-Identifier: Apache-2.0
#include "act.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "act_roles.hpp"
#include "hands.hpp"
#include "selector.hpp"
#include "settle.hpp"
#include "time_units.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kRootId = "root";

/// Not drawn, or nowhere: it may be scrolled to.
bool out_of_view(const Node& node) { return !node.visible || node.bounds.empty(); }

Failure occluded(const Act& act, std::string_view why) {
  return failure(Fault::ElementOccluded,
                 fmt::format("element '{}' cannot be reached: {}", act.node().id, why),
                 {{"element_id", act.node().id},
                  {"selector", act.element.selector},
                  {"window_uid", act.window.info.uid}});
}

Outcome<bool> check_enabled(const Act& act) {
  if (act.node().enabled) return true;
  return failure(Fault::ElementDisabled, fmt::format("element '{}' is disabled", act.node().id),
                 {{"element_id", act.node().id},
                  {"selector", act.element.selector},
                  {"window_uid", act.window.info.uid}});
}

Outcome<bool> check_seen(const Act& act) {
  const WindowInfo& window = act.window.info;
  if (window.minimized || !window.mapped) return occluded(act, "its window is minimised");
  if (!act.parts.empty()) return true;
  if (act.node().bounds.empty()) return occluded(act, "it has no size on the screen");
  return occluded(act, "other windows cover it, or it lies outside the screen");
}

/// Elements in a scrolled view are brought into it first, as a person would.
Task<Outcome<bool>> bring_into_view(Act& act) {
  if (!out_of_view(act.node())) co_return check_seen(act);
  act.pulse = act.engine.pulse.serial();
  Outcome<std::optional<Deed>> scrolled = co_await native_act(act, A11yVerb::ScrollTo);
  if (!scrolled.ok()) co_return scrolled.failure();
  if (*scrolled) {
    (void)co_await let_settle(act);
    const bool there = co_await look_again(act);
    if (!there) co_return occluded(act, "it went away while it was scrolled to");
  }
  co_return check_seen(act);
}

void fill_receipt(Act& act, const Verb& verb) {
  Receipt& receipt = act.receipt;
  receipt.action = verb.action;
  receipt.dry_run = act.call.arguments.flag("dry_run");
  receipt.window_uid = act.window.info.uid;
  receipt.element_id = act.node().id;
  receipt.selector = act.element.selector;
  receipt.bounds = act.node().bounds;
  receipt.before = moment_of(*act.tree);
  receipt.after = receipt.before;
  receipt.warning = act.window.warning;
  receipt.rematched = act.element.rematched;
  receipt.matches = act.element.matches;
}

/// What the desktop looks like after the act.
struct Aftermath {
  std::vector<WindowInfo> windows;
  std::vector<WindowInfo> added;  ///< Pop-ups too.
  bool window_there = false;
  std::shared_ptr<const Tree> tree;  ///< Empty: it cannot be read any more.
};

Task<Aftermath> look_after(Act& act) {
  (void)co_await let_settle(act);
  Engine& engine = act.engine;
  engine.trees.forget_all();  // nobody knows which windows the act changed
  Aftermath after;
  const Answer<WindowList> all = co_await engine.desktop.all_windows();
  if (all.ok()) after.windows = (*all)->windows;
  // Without both lists nothing is known about windows, so nothing is claimed.
  const bool comparable = all.ok() && !act.around.empty();
  if (comparable) after.added = windows_added(act.around, after.windows);
  after.window_there = !comparable || std::any_of(after.windows.begin(), after.windows.end(),
                                                  [&](const WindowInfo& window) {
                                                    return window.uid == act.window.info.uid;
                                                  });
  if (after.window_there) {
    const Outcome<TreeCapture> capture =
        co_await engine.trees.get(act.window.info, Freshness::Fresh);
    if (capture.ok()) after.tree = capture->tree;
  }
  co_return after;
}

/// The window of `windows` that belongs to the same application, or nullptr.
const WindowInfo* of_same_process(const std::vector<WindowInfo>& windows, std::int64_t pid) {
  const auto found = std::find_if(windows.begin(), windows.end(), [pid](const WindowInfo& window) {
    return pid != 0 && window.pid == pid;
  });
  return found != windows.end() ? &*found : nullptr;
}

/// Both are hidden, and their texts are not the same: the digests differ.
bool hidden_change(const Node& before, const Node& after) {
  return before.hidden != nullptr && after.hidden != nullptr &&
         before.hidden->digest != after.hidden->digest;
}

/// What was read after the act and can only come from it; empty when nothing was.
std::string evidence_of(const Act& act, const Aftermath& after) {
  if (!after.window_there) return fmt::format("window '{}' is gone", act.window.info.title);
  if (const WindowInfo* window = of_same_process(after.added, act.window.info.pid)) {
    if (window->transient) return "a pop-up of the application opened";
    return fmt::format("window '{}' opened", window->title);
  }
  if (after.tree == nullptr) return {};
  const Node* now = same_element(*after.tree, act.node());
  if (now == nullptr) return act.node().native_ref.empty() ? "" : "the element is gone";
  std::string change = element_change(act.node(), *now);
  if (!change.empty()) return change;
  if (hidden_change(act.node(), *now)) return "a property that is hidden here changed";
  // A button gets the focus also when its click is swallowed; a text field is clicked for it.
  const std::string_view action = act.receipt.action;
  const bool clicks = action.empty() || action == "click_element" || action == "invoke_element";
  const bool clicked_in = clicks && takes_text(*now) && !act.node().focused && now->focused;
  return clicked_in ? "focused: false -> true" : "";
}

/// False when the element shows a text that lacks something of what was typed: a part may have gone
/// elsewhere, or is still on its way.
bool text_arrived(const Act& act, const Aftermath& after) {
  if (act.typed.empty() || after.tree == nullptr) return true;
  const Node* const now = same_element(*after.tree, act.node());
  if (now == nullptr || !now->value || is_password(*now) || now->hidden) return true;
  return now->value->find(act.engine.redaction.text(act.typed)) != std::string::npos;
}

/// On a made-up desktop nothing changes but by acts.
bool looks_the_same(const Act& act, const Aftermath& after) {
  return after.tree != nullptr && after.tree->hash == act.receipt.before.tree_hash;
}

void judge(Act& act, const Tree& first, const Aftermath& after) {
  Deed& deed = act.receipt.deed;
  const bool unmoved =
      act.engine.directory.is_mock() && deed.route != "scenario" && looks_the_same(act, after);
  if (deed.effect == Effect::Unverified && !unmoved && !text_arrived(act, after)) {
    deed.note = "the element does not show all of the text that was typed; look again";
  } else if (deed.effect == Effect::Unverified) {
    if (std::string evidence = evidence_of(act, after); !evidence.empty()) {
      deed.effect = Effect::Confirmed;
      deed.evidence = std::move(evidence);
    } else if (unmoved) {
      deed.effect = Effect::NoOp;
    }
  }
  Receipt& receipt = act.receipt;
  for (const WindowInfo& window : after.added) {
    if (!window.transient) receipt.new_windows.push_back(window);
  }
  if (after.tree == nullptr) {
    receipt.after = {};
    return;
  }
  receipt.after = moment_of(*after.tree);
  receipt.state_changed = receipt.before.tree_hash == receipt.after.tree_hash &&
                          state_differs(first.root, after.tree->root);
}

/// Whether what is typed goes where nobody gets to read it. A window that has the focus itself says
/// nothing about its fields; then the element that was acted on last counts.
void note_secrecy(Engine& engine, const ToolCall& call, const std::vector<GateTarget>& targets) {
  bool secret = false;
  bool element_known = false;
  for (const GateTarget& target : targets) {
    secret = secret || target.password || target.hidden;
    element_known = element_known || !(target.element_id.empty() || target.element_id == kRootId);
  }
  if (element_known) {
    engine.last_target_secret = secret;
  } else {
    secret = secret || engine.last_target_secret;
  }
  // One call may be asked about twice, when the focus moves; what was secret once stays so.
  if (call.settlement != nullptr) {
    call.settlement->secret = secret || call.settlement->secret.value_or(false);
  }
  if (!secret || call.proposal != nullptr) return;
  for (const std::string_view name : kTypedArguments) {
    engine.redaction.remember(call.arguments.text(name));
  }
}

/// The innermost control that the node is or is a part of, or nullptr.
const Node* control_of(const Tree& tree, const Node& node) {
  const std::vector<const Node*> path = path_to(tree.root, node);
  const auto control =
      std::find_if(path.rbegin(), path.rend(), [](const Node* step) { return is_control(*step); });
  return control != path.rend() ? *control : nullptr;
}

bool is_among(const std::vector<GateTarget>& targets, const GateTarget& wanted) {
  return std::any_of(targets.begin(), targets.end(), [&](const GateTarget& target) {
    return target.element_id == wanted.element_id && target.role == wanted.role &&
           target.name == wanted.name;
  });
}

Task<ToolOutcome> carry_out(Act& act, const Verb& verb) {
  Engine& engine = act.engine;
  const std::int64_t began = engine.desktop.monotonic_ns();
  const std::shared_ptr<const Tree> first = act.tree;
  const Outcome<bool> reachable = co_await bring_into_view(act);
  if (!reachable.ok()) co_return reachable.failure();
  if (act.call.life.given_up()) {
    co_return failure(Fault::Timeout, "the call was given up; nothing was done");
  }
  act.pulse = engine.pulse.serial();
  Outcome<Deed> deed = co_await verb.perform(act);
  act.receipt.deed = deed.ok() ? std::move(*deed) : Deed{Effect::Refused, {}, {}, {}};
  (void)co_await finish_act(act, *first, began);
  if (!deed.ok()) co_return failed_act(deed.failure(), act.receipt, act.call.step);
  co_return receipt_json(act.receipt);
}

}  // namespace

Task<Outcome<ChosenWindow>> window_for_act(Engine& engine, const ToolCall& call) {
  const MissingWindow missing =
      engine.settings.index_fallback_for_acts ? MissingWindow::UseFocused : MissingWindow::Refuse;
  return engine.directory.choose(call.arguments, missing);
}

Task<Outcome<bool>> look(Act& act, const ElementQuery& query) {
  Engine& engine = act.engine;
  const Answer<WindowList> all = co_await engine.desktop.all_windows();
  if (all.ok()) act.around = (*all)->windows;
  const Answer<MonitorList> monitors = co_await engine.directory.monitors();
  if (monitors.ok()) act.screen = screen_of(**monitors);
  // The made-up desktops have no stacking that anybody relies on.
  if (!engine.directory.is_mock()) act.covers = frames_above(act.around, act.window.info);
  const Outcome<TreeCapture> capture = co_await engine.trees.get(act.window.info, Freshness::Fresh);
  if (!capture.ok()) co_return capture.failure();
  act.tree = capture->tree;
  // Hidden names must not be found by guessing them, so the search sees what clients see.
  Outcome<FoundElement> found =
      resolve_element(engine.trees, act.window.info.uid, *act.tree, query);
  if (!found.ok()) co_return found.failure();
  act.element = std::move(*found);
  act.parts = visible_parts(act.node().bounds, act.screen, act.covers);
  co_return true;
}

bool take_capture(Act& act, std::shared_ptr<const Tree> tree, const Node& known) {
  const Node* now = same_element(*tree, known);
  if (now == nullptr) return false;
  act.tree = std::move(tree);
  act.element.node = now;
  act.parts = visible_parts(now->bounds, act.screen, act.covers);
  return true;
}

Task<bool> look_again(Act& act) {
  const Outcome<TreeCapture> capture =
      co_await act.engine.trees.get(act.window.info, Freshness::Fresh);
  if (!capture.ok()) co_return false;
  co_return take_capture(act, capture->tree, act.node());
}

Task<bool> let_settle(Act& act) {
  Engine& engine = act.engine;
  if (engine.directory.is_mock()) co_return true;  // it has reacted before it answers
  const std::int64_t pid = engine.trees.process_of(act.window.info);
  const Settled settled = co_await settle(engine.pulse, engine.desktop, engine.settings.settle, pid,
                                          act.pulse, act.call.life);
  co_return settled.quiet;
}

Task<bool> finish_act(Act& act, const Tree& first, std::int64_t began_ns) {
  const Aftermath after = co_await look_after(act);
  judge(act, first, after);
  act.receipt.duration_ms =
      (act.engine.desktop.monotonic_ns() - began_ns) / kNanosecondsPerMillisecond;
  co_return true;
}

GateTarget gate_target(const WindowInfo& window, const Node* node, const std::string& selector) {
  GateTarget target;
  target.window = window;
  target.bounds = window.bounds;
  if (node == nullptr) return target;
  target.element_id = node->id;
  target.selector = selector;
  target.role = node->role;
  target.name = node->true_name();
  target.bounds = node->bounds;
  target.password = is_password(*node);
  target.hidden = node->hidden != nullptr;
  return target;
}

Task<Outcome<bool>> admit_targets(Engine& engine, const ToolCall& call,
                                  std::vector<GateTarget> targets) {
  note_secrecy(engine, call, targets);
  return engine.gate.admit_targets(call, std::move(targets));
}

const Node* element_at(const Node& root, ScreenPoint point) {
  const Node* last = nullptr;
  walk(root, [&](const Node& node, int) {
    if (node.visible && node.bounds.contains(point.x, point.y)) last = &node;
  });
  return last;
}

Outcome<bool> check_known(const Engine& engine, const Tree* tree, const Node* node) {
  if (tree == nullptr || !tree->degraded.cut) return true;
  if (!engine.redaction.rules().judges_targets) return true;
  if (node != nullptr && control_of(*tree, *node) != nullptr) return true;
  return failure(Fault::PermissionDenied,
                 "the window has more elements than were read, so what the act would reach is not "
                 "known; there are rules about elements, so nothing was done",
                 {{"hint", tree->degraded.cure}});
}

std::vector<GateTarget> gate_targets(const WindowInfo& window, const Tree* tree, const Node* node,
                                     const std::string& selector) {
  std::vector<GateTarget> out{gate_target(window, node, selector)};
  if (tree == nullptr || node == nullptr) return out;
  out.front().path = derive_selector(tree->root, *node);
  const Node* const control = control_of(*tree, *node);
  if (control != nullptr && control != node) out.push_back(gate_target(window, control, {}));
  return out;
}

std::vector<GateTarget> gate_targets(const Act& act, const std::optional<ScreenPoint>& point) {
  const WindowInfo& window = act.window.info;
  const Tree* const tree = act.tree.get();
  std::vector<GateTarget> out = gate_targets(window, tree, act.element.node, act.element.selector);
  const Node* const there = tree != nullptr && point ? element_at(tree->root, *point) : nullptr;
  if (there == nullptr) return out;
  for (GateTarget& target : gate_targets(window, tree, there, {})) {
    if (!is_among(out, target)) out.push_back(std::move(target));
  }
  return out;
}

Task<Outcome<bool>> admit_point(Act& act, ScreenPoint point) {
  const Node* const there = element_at(act.tree->root, point);
  const Outcome<bool> clear = check_known(act.engine, act.tree.get(), there);
  if (!clear.ok()) co_return clear.failure();
  std::vector<GateTarget> targets = gate_targets(act.window.info, act.tree.get(), there, {});
  const bool known = std::any_of(targets.begin(), targets.end(), [&](const GateTarget& target) {
    return is_among(act.judged, target);
  });
  if (known) co_return true;
  co_return co_await admit_targets(act.engine, act.call, std::move(targets));
}

Task<ToolOutcome> run_verb(Engine& engine, const ToolCall& call, const Verb& verb) {
  const bool dry_run = call.arguments.flag("dry_run");
  std::optional<InputLane::Turn> turn;
  if (!dry_run) {
    Outcome<InputLane::Turn> granted = co_await engine.lane.enter(call.caller, call.life);
    if (!granted.ok()) co_return granted.failure();
    turn.emplace(std::move(*granted));
  }
  Outcome<ChosenWindow> window = co_await window_for_act(engine, call);
  if (!window.ok()) co_return window.failure();
  Act act{engine, call, std::move(*window), {}, {}, {}, {}, {}, {}, 0, {}, {}, {}};
  const ElementQuery query = element_query(call.arguments);
  const Outcome<bool> found = co_await look(act, query);
  if (!found.ok()) co_return found.failure();
  const Outcome<bool> enabled = check_enabled(act);
  if (!enabled.ok()) co_return enabled.failure();
  if (dry_run || !out_of_view(act.node())) {
    const Outcome<bool> seen = check_seen(act);
    if (!seen.ok()) co_return seen.failure();
  }
  std::optional<ScreenPoint> point;
  if (!act.parts.empty()) point = point_in(act.node().bounds, act.parts);
  if (point) {
    const Outcome<bool> clear =
        check_known(engine, act.tree.get(), element_at(act.tree->root, *point));
    if (!clear.ok()) co_return clear.failure();
  }
  act.judged = gate_targets(act, point);
  std::vector<GateTarget> targets = act.judged;
  const Outcome<bool> allowed = co_await admit_targets(engine, call, std::move(targets));
  if (!allowed.ok()) co_return allowed.failure();
  fill_receipt(act, verb);
  if (!dry_run) co_return co_await carry_out(act, verb);
  act.receipt.deed = {Effect::NoOp, {}, {}, "dry run: everything was checked, nothing was done"};
  co_return receipt_json(act.receipt);
}

}  // namespace gantry::observation
