// SPDX-License-Identifier: Apache-2.0
//
// Accessibility trees, as the toolkit reports them: a flat array in document order.
#pragma once

#include <gantry/contracts/common.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct A11yTreeRequest {
  std::string handle;  // of the window, as in WindowInfo; with the rest it finds the application
  std::int64_t pid = 0;
  std::string title;
  Rect bounds;  // of the window's client area
  std::int32_t max_nodes = 20000;
  std::int32_t budget_ms = 3000;   // then a partial tree with truncated = true
  std::int32_t max_text = 100000;  // characters of one value
  // Not 0: the answer may leave out the nodes when they are those that the same request was
  // answered with under this sequence.
  std::uint64_t unless_sequence = 0;
};
BOOST_DESCRIBE_STRUCT(A11yTreeRequest, (),
                      (handle, pid, title, bounds, max_nodes, budget_ms, max_text, unless_sequence))

struct A11yNode {
  std::int32_t parent = -1;  // index in the array; -1: the root
  std::string id;            // the adapter's own id for clients; empty: by position ("root.0.2")
  std::string role;          // the common name: Window, Button, MenuItem, Document, …
  std::string role_name;     // the toolkit's own: "push button", …
  std::string name;
  std::string description;
  std::optional<std::string> value;
  std::optional<Rect> bounds;  // screen pixels; missing when it is not on the screen
  bool enabled = true;
  bool focused = false;
  bool showing = true;
  std::optional<bool> selected;  // present where the node can be selected or checked
  std::optional<bool> expanded;  // present where it can be expanded
  std::optional<double> value_now;
  std::optional<double> value_min;
  std::optional<double> value_max;
  std::optional<std::string> keyboard_shortcut;
  std::string identifier;            // the developer's id, when the toolkit has one
  std::vector<std::string> actions;  // native action names
  std::vector<std::string> states;   // the toolkit's states by name, for people
  bool password = false;             // then the value was not read
  std::string native;                // the adapter's own reference for later actions
};
BOOST_DESCRIBE_STRUCT(A11yNode, (),
                      (parent, id, role, role_name, name, description, value, bounds, enabled,
                       focused, showing, selected, expanded, value_now, value_min, value_max,
                       keyboard_shortcut, identifier, actions, states, password, native))

/// Why a tree is poorer than it should be.
struct A11yDegraded {
  std::string reason;  // bridge_off, renderer_off, app_hung, no_a11y, budget
  std::string detail;
  std::string cure;
};
BOOST_DESCRIBE_STRUCT(A11yDegraded, (), (reason, detail, cure))

struct A11yTree {
  std::vector<A11yNode> nodes;  // parents before their children, siblings in order
  std::string application;
  std::string toolkit;
  std::string matched_by;  // which rule joined window and application
  std::int64_t pid = 0;
  bool truncated = false;
  std::optional<A11yDegraded> degraded;
  std::int64_t captured_at_ns = 0;  // wall clock
  double capture_ms = 0;
  std::uint64_t sequence = 0;  // of the events that the tree reflects; equal: unchanged
  bool warm = false;           // answered from the event-fed cache
  bool unchanged = false;      // nothing is new since unless_sequence: there are no nodes
};
BOOST_DESCRIBE_STRUCT(A11yTree, (),
                      (nodes, application, toolkit, matched_by, pid, truncated, degraded,
                       captured_at_ns, capture_ms, sequence, warm, unchanged))

/// Errors: not_found (no accessible application owns this window), deadline_exceeded (the
/// application hangs), unavailable (no accessibility bus).
struct GetA11yTree {
  static constexpr std::string_view kName = "gantry.a11y.tree/1";
  static constexpr std::string_view kDoc = "Reads the accessibility tree of one window.";
  using Request = A11yTreeRequest;
  using Response = A11yTree;
};

enum class A11yVerb : std::uint8_t {
  Do,
  Focus,
  SetText,
  InsertText,
  SetValue,
  GetText,
  ScrollTo,
  GetSelection,  // which child is chosen: a combo box may show it in no other way
};
BOOST_DESCRIBE_ENUM(A11yVerb, Do, Focus, SetText, InsertText, SetValue, GetText, ScrollTo,
                    GetSelection)

struct A11yActionRequest {
  std::string native;  // as in A11yNode
  A11yVerb verb = A11yVerb::Do;
  std::string action;          // Do: the action's name; empty: the first one
  std::string text;            // SetText, InsertText
  std::int32_t position = -1;  // InsertText, in characters; -1: at the end
  double value = 0;            // SetValue
  ActIntent intent = {};
};
BOOST_DESCRIBE_STRUCT(A11yActionRequest, (), (native, verb, action, text, position, value, intent))

struct A11yActionResult {
  bool accepted = false;  // the toolkit said it did it; what changed is the engine's to verify
  std::string text;       // GetText; GetSelection: the name of the first chosen child
  std::string evidence;
};
BOOST_DESCRIBE_STRUCT(A11yActionResult, (), (accepted, text, evidence))

/// Errors: not_found (the element is gone), unimplemented (the element cannot do that),
/// invalid_argument (no handle of this adapter), permission_denied (the element holds a secret),
/// deadline_exceeded, unavailable.
struct A11yAction {
  static constexpr std::string_view kName = "gantry.a11y.action/1";
  static constexpr std::string_view kDoc =
      "Acts on one element through the accessibility interface.";
  using Request = A11yActionRequest;
  using Response = A11yActionResult;
};

/// Something in an application's tree changed. Coalesced per application.
struct A11yChangedEvent {
  std::int64_t pid = 0;
  std::uint64_t sequence = 0;
  std::string kind;    // children, state, name, value, text, bounds, focus, window
  std::string native;  // the element, when there is one
};
BOOST_DESCRIBE_STRUCT(A11yChangedEvent, (), (pid, sequence, kind, native))

struct A11yChanged {
  static constexpr std::string_view kName = "gantry.a11y.changed/1";
  static constexpr std::string_view kDoc = "An application's accessibility tree changed.";
  using Event = A11yChangedEvent;
};

}  // namespace gantry
