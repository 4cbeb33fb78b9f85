// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frame of every act on an element, in the order of observer contract 1.4: window, tree,
// element, disabled, occluded, confirmation, act, look again. The verbs fill in the middle.

#include <string>
#include <string_view>
#include <vector>

#include "elements.hpp"
#include "engine.hpp"
#include "occlusion.hpp"
#include "receipts.hpp"

namespace gantry::observation {

/// An act under way: what was found, and the capture it was found in.
struct Act {
  Engine& engine;
  const ToolCall& call;
  ChosenWindow window;
  std::vector<WindowInfo> around;  ///< All windows, pop-ups too, as they were before.
  std::vector<Rect> covers;        ///< What lies above the window.
  std::optional<Rect> screen;
  std::shared_ptr<const Tree> tree;
  FoundElement element;     ///< In `tree`.
  std::vector<Rect> parts;  ///< What of the element can be seen.
  std::uint64_t pulse = 0;  ///< Serial before the act.
  Receipt receipt;
  std::vector<GateTarget> judged;  ///< What the guard has been asked about.
  std::string typed;               ///< Text that the element must hold before it is confirmed.

  [[nodiscard]] const Node& node() const { return *element.node; }
};

/// Carries an act out. A failure is answered together with the receipt.
using Perform = Task<Outcome<Deed>> (*)(Act&);

struct Verb {
  std::string_view action;  ///< As the receipt names it.
  Perform perform;
};

/// The whole way of an element verb.
Task<ToolOutcome> run_verb(Engine& engine, const ToolCall& call, const Verb& verb);

/// The window that an act is meant for; an index that fits none is WindowGone unless configured
/// otherwise.
Task<Outcome<ChosenWindow>> window_for_act(Engine& engine, const ToolCall& call);

/// Takes over a new capture; false when the element of `known` is not in it.
bool take_capture(Act& act, std::shared_ptr<const Tree> tree, const Node& known);

/// Fills tree, element and what can be seen of it; `window` must be set.
Task<Outcome<bool>> look(Act& act, const ElementQuery& query);

/// Reads the tree again and finds the element in it; false when it is gone.
Task<bool> look_again(Act& act);

/// Waits for the application's reaction to what was just done.
Task<bool> let_settle(Act& act);

/// After the deed: waits for the reaction, looks again, and completes the receipt. `first` is the
/// capture of before.
Task<bool> finish_act(Act& act, const Tree& first, std::int64_t began_ns);

/// What the guard is asked about: an element, or a window.
[[nodiscard]] GateTarget gate_target(const WindowInfo& window, const Node* node,
                                     const std::string& selector);

/// An element as a click on it will be felt: it, and the innermost control that it is a part of, if
/// that is another one. `node` may be nullptr: then only the window.
[[nodiscard]] std::vector<GateTarget> gate_targets(const WindowInfo& window, const Tree* tree,
                                                   const Node* node, const std::string& selector);

/// The same for the act's element, with what is drawn at the point: a click on a panel presses what
/// is in its middle.
[[nodiscard]] std::vector<GateTarget> gate_targets(const Act& act,
                                                   const std::optional<ScreenPoint>& point);

/// Whether it is known what an act on `node` reaches; nullptr: on nothing that the tree has. Where
/// there are rules about elements and the tree was cut, only a control is: what lies on anything
/// else, or has the keyboard, may be what was cut. PermissionDenied when not.
[[nodiscard]] Outcome<bool> check_known(const Engine& engine, const Tree* tree, const Node* node);

/// Asks the guard about what the pointer will reach there, unless it has been asked already: an
/// element that was scrolled into view lies elsewhere than before.
Task<Outcome<bool>> admit_point(Act& act, ScreenPoint point);

/// The element drawn last at the point, or nullptr.
[[nodiscard]] const Node* element_at(const Node& root, ScreenPoint point);
/// Asks the guard about the targets that a call has resolved; every act does, right before it acts.
/// Notes as well whether they are secret, so that no record keeps what is typed there.
Task<Outcome<bool>> admit_targets(Engine& engine, const ToolCall& call,
                                  std::vector<GateTarget> targets);

}  // namespace gantry::observation
