// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <gantry/counted.hpp>

#include "roles.hpp"

#include <string>
#include <utility>

namespace gantry::atspi {
namespace {

/// The first `characters` of a UTF-8 text.
std::string head_of(const std::string& text, std::int32_t characters) {
  std::int32_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (starts_character && seen++ == characters) return text.substr(0, i);
  }
  return text;
}

Rect to_rect(const Bounds& box) { return {box.x, box.y, box.width, box.height}; }

A11yNode to_node(const TreeNode& in, std::int32_t max_text) {
  A11yNode node;
  node.parent = in.parent;
  node.role = in.role;
  node.role_name = in.role_name;
  node.name = in.name;
  node.description = in.description;
  if (in.value) node.value = head_of(*in.value, max_text);
  if (in.bounds) node.bounds = to_rect(*in.bounds);
  node.enabled = in.enabled;
  node.focused = in.focused;
  node.showing = in.showing;
  // The contract has one flag for "chosen" and "ticked"; no AT-SPI role has both meanings at once.
  node.selected = in.checked ? in.checked : in.selected;
  node.expanded = in.expanded;
  node.value_now = in.value_now;
  node.value_min = in.value_min;
  node.value_max = in.value_max;
  if (!in.keyboard_shortcut.empty()) node.keyboard_shortcut = in.keyboard_shortcut;
  node.identifier = in.identifier;
  for (const ActionInfo& action : in.actions) node.actions.push_back(action.name);
  for (const std::string_view state : state_names(in.states)) node.states.emplace_back(state);
  node.password = in.role == "Password";
  node.native = in.native;
  return node;
}

}  // namespace

WindowHint to_hint(const A11yTreeRequest& request) {
  WindowHint hint;
  hint.handle = request.handle;
  hint.pid = request.pid > 0 ? static_cast<std::uint32_t>(request.pid) : 0;
  hint.title = request.title;
  if (!request.bounds.empty()) {
    hint.bounds =
        Bounds{request.bounds.x, request.bounds.y, request.bounds.width, request.bounds.height};
  }
  return hint;
}

A11yTree to_contract(const Tree& tree, const A11yTreeRequest& request) {
  A11yTree out;
  // A tree that was read anew is not compared: only the cache vouches for equal sequences.
  out.unchanged = tree.from_cache && request.unless_sequence == tree.sequence;
  if (!out.unchanged) {
    out.nodes.reserve(tree.nodes.size());
    for (const TreeNode& node : tree.nodes) out.nodes.push_back(to_node(node, request.max_text));
  }
  out.application = tree.app_name;
  out.toolkit = tree.toolkit;
  out.matched_by = tree.matched_by;
  out.pid = tree.pid;
  out.truncated = tree.truncated;
  if (tree.degraded) {
    out.degraded = A11yDegraded{tree.degraded->reason, tree.degraded->message, tree.degraded->cure};
  } else if (tree.truncated) {
    out.degraded = A11yDegraded{"budget", "the read ended early: " + tree.truncated_reason,
                                "ask for more nodes or more time"};
  }
  out.captured_at_ns = tree.captured_at * 1'000'000;
  out.capture_ms = tree.capture_ms;
  out.sequence = tree.sequence;
  out.warm = tree.from_cache;
  return out;
}

A11yChangedEvent to_contract(const Change& change) {
  A11yChangedEvent event;
  event.pid = change.pid;
  event.sequence = change.sequence;
  event.kind = change.kind;
  event.native = change.native;
  return event;
}

A11yActionResult to_contract(const Acted& acted) {
  A11yActionResult result;
  result.accepted = acted.accepted;
  result.text = acted.text;
  result.evidence = acted.evidence;
  return result;
}

ProbeReport to_report(const BusStatus& status) {
  ProbeReport report;
  report.adapter = "AtspiAdapter";
  report.platform = "Linux";
  report.score = status.up ? kSuitability : 0;
  report.reason = status.up ? "accessibility bus found through " + status.source + ", " +
                                  counted(status.applications, "application") +
                                  (status.hung.empty() ? "" : ", not answering: " + status.hung)
                            : status.reason;
  report.cure = status.cure;
  for (const char* name : {"a11y.tree", "a11y.action", "a11y.changed"}) {
    Capability capability;
    capability.name = name;
    capability.available = status.up;
    capability.reason = status.up ? "AT-SPI over D-Bus" : status.reason;
    capability.cure = report.cure;
    report.capabilities.push_back(std::move(capability));
  }
  return report;
}

Result<Client::Act> to_act(const A11yActionRequest& request, std::size_t max_text) {
  const std::optional<ObjectRef> object = ObjectRef::parse(request.native);
  if (!object) {
    return invalid_argument("\"" + request.native +
                            "\" is no element of this adapter; take `native` from a tree node");
  }
  const bool writes = request.verb == A11yVerb::SetText || request.verb == A11yVerb::InsertText;
  if (writes && request.text.find('\0') != std::string::npos) {
    return invalid_argument("D-Bus text cannot hold a NUL character; remove it");
  }
  const ObjectRef& target = *object;
  switch (request.verb) {
    case A11yVerb::Do:
      return Client::Act(
          [target, name = request.action](Actions& a) { return a.perform(target, name); });
    case A11yVerb::Focus: return Client::Act([target](Actions& a) { return a.focus(target); });
    case A11yVerb::SetText:
      return Client::Act(
          [target, text = request.text](Actions& a) { return a.set_text(target, text); });
    case A11yVerb::InsertText:
      return Client::Act([target, text = request.text, at = request.position](Actions& a) {
        return a.insert_text(target, at, text);
      });
    case A11yVerb::SetValue:
      return Client::Act(
          [target, value = request.value](Actions& a) { return a.set_value(target, value); });
    case A11yVerb::GetText:
      return Client::Act([target, max_text](Actions& a) {
        return a.get_text(target, static_cast<int>(max_text));
      });
    case A11yVerb::GetSelection:
      return Client::Act([target](Actions& a) { return a.get_selection(target); });
    case A11yVerb::ScrollTo:
      return Client::Act([target](Actions& a) { return a.scroll_to(target); });
  }
  return invalid_argument("the request names no verb that this adapter knows");
}

}  // namespace gantry::atspi
