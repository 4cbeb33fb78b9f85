// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is at a point of the screen, and what has the keyboard: acts that name no element are judged
// by the element that they will reach.

#include <optional>
#include <string>

#include "act.hpp"

namespace gantry::observation {

/// x and y as a call gives them: both, or neither. BadRequest for half a point or one that no
/// screen can have.
[[nodiscard]] Outcome<std::optional<ScreenPoint>> point_of(const Arguments& arguments);

/// The element drawn last at the point, or nullptr.
[[nodiscard]] const Node* element_at(const Node& root, ScreenPoint point);

/// Prepares an act at a point: the window that the call names, else the topmost one there, and the
/// element in it. A named window that the point misses is BadRequest, one that is covered there or
/// minimised WindowOccluded. On bare ground the act has no window (an empty uid) and no tree.
Task<Outcome<bool>> aim_at(Act& act, ScreenPoint point);

/// Prepares an act on whatever has the keyboard: the focused window and its focused element.
Task<Outcome<bool>> aim_at_focus(Act& act);

/// Asks the guard about what the act was aimed at.
Task<Outcome<bool>> admit(Act& act);

/// An act of this call that is not aimed yet.
[[nodiscard]] Act new_act(Engine& engine, const ToolCall& call);

/// Ends an act by point or keyboard whose deed is set in the receipt: looks at the reaction.
Task<bool> finish_aimed(Act& act, std::int64_t began_ns);

}  // namespace gantry::observation
