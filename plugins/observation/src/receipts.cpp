// SPDX-License-Identifier: Apache-2.0
#include "receipts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "node_json.hpp"
#include "selector.hpp"

namespace gantry::observation {
namespace {

constexpr std::array<std::string_view, 4> kEffects{"confirmed", "unverified", "no_op", "refused"};
constexpr std::size_t kShownCharacters = 80;

std::string shown(const std::optional<bool>& value) {
  return value ? (*value ? "true" : "false") : "none";
}
std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "none";
}
std::string shown(const std::optional<std::string>& value) {
  if (!value) return "none";
  std::string text = value->substr(0, kShownCharacters);
  // Not in the middle of a character.
  while (text.size() < value->size() && !text.empty() &&
         (static_cast<unsigned char>((*value)[text.size()]) & 0xC0U) == 0x80U) {
    text.pop_back();
  }
  return fmt::format("'{}'{}", text, text.size() < value->size() ? "…" : "");
}

template <class T>
void note_change(std::string& out, std::string_view name, const T& before, const T& after) {
  if (before == after) return;
  if (!out.empty()) out += ", ";
  out += fmt::format("{}: {} -> {}", name, shown(before), shown(after));
}

JsonObject moment_json(const Moment& moment) {
  JsonObject out;
  out.add("tree_hash", moment.tree_hash);
  out.add("focused_selector", moment.focused_selector);
  return out;
}

JsonObject target_json(const Receipt& receipt) {
  JsonObject out;
  out.add("window_uid", receipt.window_uid);
  out.add("element_id", receipt.element_id);
  out.add("selector", receipt.selector);
  out.add("bounds", rect_json(receipt.bounds));
  return out;
}

bool same_state(const Node& a, const Node& b) {
  return a.focused == b.focused && a.selected == b.selected && a.expanded == b.expanded &&
         a.value_now == b.value_now;
}

}  // namespace

std::string_view effect_name(Effect effect) { return kEffects[static_cast<std::size_t>(effect)]; }

Moment moment_of(const Tree& tree) {
  const Node* focused = find_focused(tree.root);
  return {tree.hash, focused != nullptr ? derive_selector(tree.root, *focused) : std::string()};
}

JsonObject receipt_json(const Receipt& receipt) {
  JsonObject out;
  out.add("action", receipt.action);
  out.add("dry_run", receipt.dry_run);
  out.add("target", target_json(receipt));
  out.add("before", moment_json(receipt.before));
  out.add("after", moment_json(receipt.after));
  out.add("changed", receipt.before.tree_hash != receipt.after.tree_hash);
  if (receipt.state_changed) out.add("state_changed", true);
  out.add("new_dialogs", new_dialogs_json(receipt.new_windows));
  out.add("duration_ms", receipt.duration_ms);
  out.add("effect", effect_name(receipt.deed.effect));
  out.add_if("route", receipt.deed.route);
  out.add_if("evidence", receipt.deed.evidence);
  out.add_if("note", receipt.deed.note);
  if (receipt.deed.route == "scenario") out.add("scenario_reaction", true);
  out.add_if("warning", receipt.warning);
  out.add_if("rematched", receipt.rematched);
  if (receipt.matches > 1) out.add("ambiguous_matches", receipt.matches);
  return out;
}

Failure failed_act(Failure why, const Receipt& receipt, const Step& step) {
  JsonObject members = receipt_json(receipt);
  members.add_or_null("caused_by_step_id", step.caused_by);
  why.members = std::make_shared<const JsonObject>(std::move(members));
  return why;
}

bool state_differs(const Node& before, const Node& after) {
  if (!same_state(before, after) || before.children.size() != after.children.size()) return true;
  for (std::size_t i = 0; i < before.children.size(); ++i) {
    if (state_differs(before.children[i], after.children[i])) return true;
  }
  return false;
}

std::string element_change(const Node& before, const Node& after) {
  std::string out;
  note_change(out, "selected", before.selected, after.selected);
  note_change(out, "expanded", before.expanded, after.expanded);
  if (before.password || after.password) return out;
  note_change(out, "number", before.value_now, after.value_now);
  note_change(out, "value", before.value, after.value);
  note_change(out, "name", std::optional(before.name), std::optional(after.name));
  return out;
}

std::vector<WindowInfo> windows_added(const std::vector<WindowInfo>& before,
                                      const std::vector<WindowInfo>& after) {
  std::vector<WindowInfo> added;
  for (const WindowInfo& window : after) {
    const bool known = std::any_of(before.begin(), before.end(), [&](const WindowInfo& other) {
      return other.uid == window.uid;
    });
    if (!known) added.push_back(window);
  }
  return added;
}

RawJson new_dialogs_json(const std::vector<WindowInfo>& windows) {
  JsonArray dialogs;
  for (const WindowInfo& window : windows) {
    JsonObject dialog;
    dialog.add("window_uid", window.uid);
    dialog.add("title", window.title);
    dialogs.add(dialog);
  }
  return dialogs.done();
}

}  // namespace gantry::observation
