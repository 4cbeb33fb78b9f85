// SPDX-License-Identifier: Apache-2.0
// Verbs that write: they compare what the element says afterwards with what was asked for.
#include "verbs.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "act_roles.hpp"
#include "focus_walk.hpp"
#include "hands.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kSelectAll = "ctrl+a";
constexpr std::string_view kEndOfText = "ctrl+end";
constexpr std::string_view kDelete = "delete";
constexpr std::string_view kPartly =
    "only a part of its text is read here, so what was added to it was not compared";
// Else whoever may write could guess: a field that takes nothing would tell when the guess is
// right.
constexpr std::string_view kHiddenHere = "it is hidden here, so what it holds was not compared";
constexpr std::string_view kNeverRead = "it is a password field; its text is never read";

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "true" and "false", in the words that requests use.
std::optional<bool> switch_in(const std::string& text) {
  if (text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  return std::nullopt;
}

/// Whether the element may hold more than the engine has of it.
bool was_cut(const Act& act) {
  const auto limit = static_cast<std::size_t>(act.engine.redaction.rules().max_text);
  return act.node().hidden || (act.node().value && act.node().value->size() >= limit);
}

/// Whether the element holds the text; evidence goes into the deed.
Task<bool> holds(Act& act, const std::string& wanted, Deed& deed) {
  if (act.node().password || act.node().hidden) {
    deed.evidence = act.node().password ? kNeverRead : kHiddenHere;
    co_return true;
  }
  const Redaction& redaction = act.engine.redaction;
  const std::function<bool(const Node&)> written = [&](const Node& node) {
    return !node.value || redaction.holds(node, wanted);
  };
  (void)co_await look_until(act, written);
  const std::optional<std::string> now = act.node().value;
  if (now && redaction.holds(act.node(), wanted)) {
    deed.effect = Effect::Confirmed;
    deed.evidence = "the value that was read back is the one that was set";
    co_return true;
  }
  if (!now) {
    deed.note = "the element tells no value, so nothing could be compared";
    co_return true;
  }
  deed.evidence =
      fmt::format("{} characters were read back that are not those that were set", now->size());
  co_return false;
}

Failure other_value(const Act& act, const Deed& deed) {
  return failure(
      Fault::Internal,
      fmt::format("element '{}' holds another value than the one that was set", act.node().id),
      {{"element_id", act.node().id}, {"evidence", deed.evidence}});
}

/// Whether the element still has the keyboard; made-up desktops show no focus.
Task<bool> keeps_focus(Act& act) {
  if (act.engine.directory.is_mock()) co_return true;
  (void)co_await let_settle(act);
  const bool there = co_await look_again(act);
  co_return there&& act.node().focused;
}

/// Types into the element, which a tab or an enter key may leave: then the rest is not typed.
Task<Outcome<Deed>> type_into(Act& act, std::string text) {
  const std::vector<std::string> parts = pieces_of(text, &act.node()).parts;
  Outcome<Deed> typed = Deed{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool there = true;
    if (i > 0) there = co_await keeps_focus(act);
    if (!there) {
      co_return failure(Fault::PatternUnsupported,
                        fmt::format("the keyboard focus left element '{}' after {} of {} parts of "
                                    "the text, so the rest was not typed",
                                    act.node().id, i, parts.size()),
                        {{"element_id", act.node().id}, {"window_uid", act.window.info.uid}});
    }
    std::string part = parts[i];
    typed = co_await send_text(act, std::move(part));
    if (!typed.ok()) co_return typed.failure();
  }
  co_return typed;
}

/// Writes with the keyboard, into the element and nowhere else.
Task<Outcome<Deed>> type_value(Act& act, std::string text, bool clear_first) {
  const Outcome<Deed> focused = co_await take_focus(act);
  if (!focused.ok()) co_return focused.failure();
  std::string keys(clear_first ? kSelectAll : kEndOfText);
  Outcome<Deed> placed = co_await send_keys(act, std::move(keys));
  if (!placed.ok()) co_return placed.failure();
  if (!text.empty()) co_return co_await type_into(act, std::move(text));
  if (!clear_first) co_return placed;
  std::string erase(kDelete);
  co_return co_await send_keys(act, std::move(erase));
}

/// A value that is set by a click is as good as a click: whoever may not click may not set it.
Task<Outcome<bool>> admit_click(Act& act) {
  const Tool* const click = find_tool("click_element");
  if (click == nullptr) co_return true;
  const ToolCall& call = act.call;
  const ToolCall part{call.arguments, *click, call.caller, call.step, call.plain, call.life};
  co_return co_await act.engine.gate.admit(part);
}

/// The text of an element, by the toolkit and, when that is not believed, by the keyboard.
Task<Outcome<Deed>> write_text(Act& act, std::string text, bool clear_first) {
  const std::string wanted = clear_first ? text : act.node().value.value_or("") + text;
  const bool comparable = clear_first || !was_cut(act);
  const bool mock = act.engine.directory.is_mock();
  NativeDetail detail;
  detail.text = text;
  Outcome<std::optional<Deed>> native = co_await native_act(
      act, clear_first ? A11yVerb::SetText : A11yVerb::InsertText, std::move(detail));
  if (!native.ok()) co_return native.failure();
  if (*native) {
    Deed& deed = **native;
    // Who was only shown a part of the text must not write it back.
    if (!comparable) deed.evidence = kPartly;
    if (!comparable) co_return deed;
    const bool kept = co_await holds(act, wanted, deed);
    if (kept || mock) co_return deed;
  }
  std::string typed = std::move(text);
  // What the toolkit may have left behind has to go, whatever was asked for.
  if (*native && !clear_first) typed = wanted;
  const bool replace = clear_first || native->has_value();
  Outcome<Deed> deed = co_await type_value(act, std::move(typed), replace);
  if (!deed.ok()) co_return deed.failure();
  if (mock || !comparable) co_return deed;
  const bool kept = co_await holds(act, wanted, *deed);
  if (!kept) co_return other_value(act, *deed);
  co_return deed;
}

Task<Outcome<Deed>> set_number(Act& act, double wanted) {
  NativeDetail detail;
  detail.value = wanted;
  Outcome<std::optional<Deed>> native =
      co_await native_act(act, A11yVerb::SetValue, std::move(detail));
  if (!native.ok()) co_return native.failure();
  if (!*native) {
    std::string text = fmt::format("{}", wanted);
    co_return co_await write_text(act, std::move(text), true);
  }
  Deed deed = **native;
  const std::function<bool(const Node&)> reached = [wanted](const Node& node) {
    return !node.value_now ||
           std::abs(*node.value_now - wanted) < 1e-6 * std::max(1.0, std::abs(wanted));
  };
  const bool there = co_await look_until(act, reached);
  const std::optional<double> now = act.node().value_now;
  if (there && now) {
    deed.effect = Effect::Confirmed;
    deed.evidence = fmt::format("number read back: {}", *now);
    co_return deed;
  }
  deed.evidence = now ? fmt::format("number read back: {}, asked for: {}", *now, wanted)
                      : "no number could be read back";
  if (now && !act.engine.directory.is_mock()) co_return other_value(act, deed);
  co_return deed;
}

Task<Outcome<Deed>> set_ticked(Act& act, bool wanted) {
  const Outcome<bool> allowed = co_await admit_click(act);
  if (!allowed.ok()) co_return allowed.failure();
  if (act.node().selected == wanted) {
    co_return Deed{Effect::NoOp, "none", fmt::format("it already is {}", wanted), {}};
  }
  Outcome<Deed> deed = co_await perform_click(act);
  if (!deed.ok()) co_return deed.failure();
  const std::function<bool(const Node&)> ticked = [wanted](const Node& node) {
    return node.selected == wanted;
  };
  const bool done = co_await look_until(act, ticked);
  if (done) {
    deed->effect = Effect::Confirmed;
    deed->evidence = fmt::format("selected: {}", wanted);
  }
  co_return deed;
}

}  // namespace

Task<Outcome<Deed>> perform_set_value(Act& act) {
  const Arguments& arguments = act.call.arguments;
  std::string value = arguments.text("value");
  const bool clear_first = !arguments.has("clear_first") || arguments.flag("clear_first");
  if (is_ticked_by_click(act.node())) {
    if (const std::optional<bool> on = switch_in(value)) co_return co_await set_ticked(act, *on);
  }
  if (holds_number(act.node())) {
    if (const std::optional<double> number = number_in(value)) {
      co_return co_await set_number(act, *number);
    }
  }
  if (act.node().role == "ComboBox" && !is_editable(act.node())) {
    const Outcome<bool> allowed = co_await admit_click(act);
    if (!allowed.ok()) co_return allowed.failure();
    co_return co_await choose_option(act, std::move(value), std::nullopt);
  }
  co_return co_await write_text(act, std::move(value), clear_first);
}

Task<Outcome<Deed>> perform_clear_text(Act& act) {
  std::string nothing;
  return write_text(act, std::move(nothing), true);
}

}  // namespace gantry::observation
