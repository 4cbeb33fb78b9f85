// SPDX-License-Identifier: Apache-2.0
// hover_at and drag: the pointer's way over the screen. Both answer with the receipt of the
// published text and with the members of the deployed program.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "hands.hpp"
#include "pointing.hpp"
#include "tools.hpp"
#include "verbs.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kDefaultHover = 250;
constexpr std::int64_t kMaxHover = 10'000;
constexpr double kDefaultDrag = 0.5;
constexpr double kMaxDrag = 30;
constexpr std::array<std::string_view, 4> kModifiers{"ctrl", "shift", "alt", "super"};

Task<ToolOutcome> hover_at(Engine& engine, const ToolCall& call) {
  const auto point = point_of(call.arguments);
  if (!point.ok()) co_return point.failure();
  if (!*point) co_return failure(Fault::BadRequest, "x and y are required");
  const auto asked = call.arguments.integer("hover_ms");
  if (!asked.ok()) co_return asked.failure();
  const std::int64_t ms = std::clamp<std::int64_t>(asked->value_or(kDefaultHover), 0, kMaxHover);

  Outcome<Turn> turn = co_await take_aim(engine, call, *point);
  if (!turn.ok()) co_return turn.failure();
  Act& act = turn->act;
  act.receipt.action = "hover_at";
  act.receipt.after = act.receipt.before;
  act.receipt.dry_run = call.arguments.flag("dry_run");
  act.receipt.deed.effect = Effect::NoOp;
  if (!act.receipt.dry_run) {
    Send send = [&] {
      PointerRequest request;
      request.action = PointerAction::Move;
      request.x = (*point)->x;
      request.y = (*point)->y;
      request.intent = intent_of(call);
      return engine.desktop.pointer(std::move(request));
    };
    const bool mock = engine.directory.is_mock();
    const auto moved = co_await carry_through(act, std::move(send), mock ? 0 : ms);
    if (!moved.ok()) co_return moved.failure();
    Deed& deed = act.receipt.deed;
    const bool there = !mock && deed.effect == Effect::Unverified && !deed.evidence.empty();
    if (there) deed.effect = Effect::Confirmed;
  }
  JsonObject out = receipt_json(act.receipt);
  out.add("x", (*point)->x);
  out.add("y", (*point)->y);
  out.add("hover_ms", ms);
  co_return out;
}

Failure bad_ends() {
  return failure(Fault::BadRequest, "drag requires from/to as {x,y} or {selector|element_id}");
}

/// One end of a drag.
struct End {
  ScreenPoint point;
  const Node* node = nullptr;
  std::string selector;
};

/// An end by element needs the window.
Outcome<End> end_of(Act& act, const Arguments& request) {
  const auto point = point_of(request);
  if (!point.ok()) return point.failure();
  End end;
  if (*point) {
    end.point = **point;
    if (act.tree != nullptr) end.node = element_at(act.tree->root, end.point);
    return end;
  }
  const ElementQuery query = element_query(request);
  if (!query.given()) return bad_ends();
  if (act.tree == nullptr) {
    return failure(Fault::PlatformUnsupported, "the window has no accessibility tree to look in");
  }
  Outcome<FoundElement> found =
      resolve_element(act.engine.trees, act.window.info.uid, *act.tree, query);
  if (!found.ok()) return found.failure();
  end.node = found->node;
  end.selector = found->selector;
  if (!end.node->enabled) {
    return failure(Fault::ElementDisabled, fmt::format("element '{}' is disabled", end.node->id),
                   {{"element_id", end.node->id}, {"window_uid", act.window.info.uid}});
  }
  const std::vector<Rect> parts = visible_parts(end.node->bounds, act.screen, act.covers);
  if (parts.empty()) {
    return failure(Fault::ElementOccluded,
                   fmt::format("element '{}' has no visible point", end.node->id),
                   {{"element_id", end.node->id}, {"window_uid", act.window.info.uid}});
  }
  end.point = point_in(end.node->bounds, parts);
  return end;
}

/// What the two ends touch: the elements that are named, and what is on top at their points, which
/// may be in another window.
Task<Outcome<std::vector<GateTarget>>> targets_of(Act& act, const End& from, const End& to) {
  std::vector<GateTarget> out;
  for (const End* end : {&from, &to}) {
    std::vector<GateTarget> named =
        gate_targets(act.window.info, act.tree.get(), end->node, end->selector);
    std::move(named.begin(), named.end(), std::back_inserter(out));
    Outcome<std::vector<GateTarget>> there = co_await targets_at(act, end->point);
    if (!there.ok()) co_return there.failure();
    std::move(there->begin(), there->end(), std::back_inserter(out));
  }
  co_return out;
}

/// The window of a drag, with what is in it and above it.
Task<Outcome<bool>> open_window(Act& act) {
  Engine& engine = act.engine;
  Outcome<ChosenWindow> window = co_await window_for_act(engine, act.call);
  if (!window.ok()) co_return window.failure();
  act.window = std::move(*window);
  const Answer<WindowList> all = co_await engine.desktop.all_windows();
  if (all.ok()) act.around = (*all)->windows;
  const Answer<MonitorList> monitors = co_await engine.directory.monitors();
  if (monitors.ok()) act.screen = screen_of(**monitors);
  if (!engine.directory.is_mock()) act.covers = frames_above(act.around, act.window.info);
  act.receipt.window_uid = act.window.info.uid;
  act.receipt.warning = act.window.warning;
  const Outcome<TreeCapture> capture = co_await engine.trees.get(act.window.info, Freshness::Fresh);
  if (!capture.ok()) co_return true;  // ends by coordinates need none
  act.tree = capture->tree;
  act.receipt.before = moment_of(*act.tree);
  act.receipt.after = act.receipt.before;
  co_return true;
}

RawJson pair(ScreenPoint point) {
  JsonArray out;
  out.add(point.x);
  out.add(point.y);
  return out.done();
}

/// The members of the deployed program.
void add_path(JsonObject& out, const End& from, const End& to,
              const std::vector<std::string>& modifiers) {
  const ScreenPoint middle{(from.point.x + to.point.x) / 2, (from.point.y + to.point.y) / 2};
  JsonArray path;
  path.add_raw(pair(from.point).text);
  path.add_raw(pair(middle).text);
  path.add_raw(pair(to.point).text);
  JsonArray held;
  for (const std::string& modifier : modifiers) held.add(modifier);
  out.add("from", pair(from.point));
  out.add("to", pair(to.point));
  out.add("path", path.done());
  out.add("modifiers", held.done());
}

Outcome<std::vector<std::string>> modifiers_of(const Arguments& arguments) {
  std::vector<std::string> modifiers = arguments.list("modifiers");
  for (const std::string& modifier : modifiers) {
    if (std::find(kModifiers.begin(), kModifiers.end(), modifier) == kModifiers.end()) {
      return failure(Fault::BadRequest,
                     fmt::format("modifiers are ctrl, shift, alt and super, found '{}'", modifier));
    }
  }
  return modifiers;
}

PointerRequest drag_request(const ToolCall& call, const End& from, const End& to, double seconds,
                            const std::vector<std::string>& modifiers) {
  PointerRequest request;
  request.action = PointerAction::Drag;
  request.x = from.point.x;
  request.y = from.point.y;
  request.to_x = to.point.x;
  request.to_y = to.point.y;
  request.duration_ms = static_cast<std::int32_t>(std::lround(seconds * 1000));
  request.modifiers = modifiers;
  request.intent = intent_of(call, from.node != nullptr ? from.node->native_ref : std::string());
  return request;
}

Task<ToolOutcome> carry_over(Act& act, const End& from, const End& to, double seconds,
                             const std::vector<std::string>& modifiers) {
  Engine& engine = act.engine;
  const std::int64_t began = engine.desktop.monotonic_ns();
  act.pulse = engine.pulse.serial();
  PointerRequest request = drag_request(act.call, from, to, seconds, modifiers);
  const Answer<InputReceipt> answer = co_await engine.desktop.pointer(std::move(request));
  Outcome<Deed> deed = delivered(answer);
  if (deed.ok()) {
    act.receipt.deed = std::move(*deed);
  } else {
    act.receipt.deed = {Effect::Refused, {}, {}, {}};
  }
  (void)co_await finish_aimed(act, began);
  JsonObject out = receipt_json(act.receipt);
  add_path(out, from, to, modifiers);
  if (deed.ok()) co_return out;
  Failure why = deed.failure();
  out.add_or_null("caused_by_step_id", act.call.step.caused_by);
  why.members = std::make_shared<const JsonObject>(std::move(out));
  co_return why;
}

Task<ToolOutcome> drag(Engine& engine, const ToolCall& call) {
  const Outcome<Arguments> from_request = call.arguments.object("from");
  const Outcome<Arguments> to_request = call.arguments.object("to");
  if (!from_request.ok() || !to_request.ok()) co_return bad_ends();
  const auto seconds = call.arguments.number("duration_s");
  if (!seconds.ok()) co_return seconds.failure();
  const double duration = std::clamp(seconds->value_or(kDefaultDrag), 0.0, kMaxDrag);
  const Outcome<std::vector<std::string>> modifiers = modifiers_of(call.arguments);
  if (!modifiers.ok()) co_return modifiers.failure();

  Outcome<Turn> turn = co_await take_turn(engine, call);
  if (!turn.ok()) co_return turn.failure();
  Act& act = turn->act;
  const Outcome<bool> open = co_await open_window(act);
  if (!open.ok()) co_return open.failure();
  const Outcome<End> from = end_of(act, *from_request);
  if (!from.ok()) co_return from.failure();
  const Outcome<End> to = end_of(act, *to_request);
  if (!to.ok()) co_return to.failure();
  Outcome<std::vector<GateTarget>> targets = co_await targets_of(act, *from, *to);
  if (!targets.ok()) co_return targets.failure();
  const Outcome<bool> allowed = co_await admit_targets(engine, call, std::move(*targets));
  if (!allowed.ok()) co_return allowed.failure();

  Receipt& receipt = act.receipt;
  receipt.action = "drag";
  act.element.node = from->node;
  if (from->node != nullptr) {
    receipt.element_id = from->node->id;
    receipt.selector = from->selector;
    receipt.bounds = from->node->bounds;
  }
  receipt.dry_run = call.arguments.flag("dry_run");
  if (!receipt.dry_run) co_return co_await carry_over(act, *from, *to, duration, *modifiers);
  receipt.deed = {Effect::NoOp, {}, {}, "dry run: everything was checked, nothing was done"};
  JsonObject out = receipt_json(receipt);
  add_path(out, *from, *to, *modifiers);
  co_return out;
}

constexpr Parameter kHoverAt[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    kPointX,
    kPointY,
    {"hover_ms", ParameterType::Integer, "How long to stay, at most 10000; 250 when not given."},
    kDryRun,
    kConfirmToken,
};
constexpr std::string_view kEndMembers = "x|y|selector|element_id|tree_token";

constexpr Parameter kDrag[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"from",
     ParameterType::Object,
     "Where it begins: {x, y}, {selector} or {element_id}.",
     true,
     {},
     {},
     kEndMembers},
    {"to",
     ParameterType::Object,
     "Where it ends: {x, y}, {selector} or {element_id}.",
     true,
     {},
     {},
     kEndMembers},
    {"modifiers",
     ParameterType::Array,
     "Keys held meanwhile: ctrl, shift, alt, super.",
     false,
     {},
     R"({"type":"string","enum":["ctrl","shift","alt","super"]})"},
    {"duration_s", ParameterType::Number, "Seconds on the way, at most 30; 0.5 when not given."},
    kDryRun,
    kConfirmToken,
};

constexpr Tool kPointerTools[] = {
    {"drag", drag, ToolKind::Act, true,
     "Drags with the left button from one point or element to another.", kDrag},
    {"hover_at", hover_at, ToolKind::Act, true,
     "Moves the pointer to a point of the screen and stays there.", kHoverAt},
};

}  // namespace

std::span<const Tool> pointer_tools() { return kPointerTools; }

}  // namespace gantry::observation
