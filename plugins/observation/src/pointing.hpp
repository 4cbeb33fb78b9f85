// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is at a point of the screen, and what has the keyboard: acts that name no element are judged
// by the element that they will reach.

#include <functional>
#include <optional>
#include <string>

#include "act.hpp"

namespace gantry::observation {

/// x and y as a call gives them: both, or neither. BadRequest for half a point or one that no
/// screen can have.
[[nodiscard]] Outcome<std::optional<ScreenPoint>> point_of(const Arguments& arguments);

/// Prepares an act at a point: the window that the call names, else the topmost one there, and the
/// element in it. A named window that the point misses is BadRequest, one that is covered there or
/// minimised WindowOccluded; Timeout as in targets_at(). On bare ground the act has no window (an
/// empty uid) and no tree.
Task<Outcome<bool>> aim_at(Act& act, ScreenPoint point);

/// Prepares an act on whatever has the keyboard: the focused window and its focused element.
Task<Outcome<bool>> aim_at_focus(Act& act);

/// What a button pressed or let go at the point will reach, in whatever window is on top there.
/// Timeout when its application does not answer and there are rules about elements.
Task<Outcome<std::vector<GateTarget>>> targets_at(Act& act, ScreenPoint point);

/// An act of this call that is not aimed yet, outside of any turn.
[[nodiscard]] Act new_act(Engine& engine, const ToolCall& call);

/// An act whose turn of the input lane has come: nobody else acts before this goes.
struct Turn {
  InputLane::Turn lane;
  Act act;
};
/// Waits for the turn of a call. Nothing is aimed at yet.
Task<Outcome<Turn>> take_turn(Engine& engine, const ToolCall& call);

/// The opening of every act by point or keyboard: waits for the turn, aims at the point (without
/// one at what has the keyboard), and asks the guard about what is there.
Task<Outcome<Turn>> take_aim(Engine& engine, const ToolCall& call,
                             std::optional<ScreenPoint> point);

/// Delivers one input of an aimed act.
using Send = std::function<Task<Answer<InputReceipt>>()>;
/// The rest of an act by point or keyboard: delivers it and looks at the reaction; `pause_ms` lies
/// between the two. The deed is in the act's receipt. A failure says that nothing was delivered.
Task<Outcome<Ref<InputReceipt>>> carry_through(Act& act, Send send, std::int64_t pause_ms = 0);

/// Ends an act by point or keyboard whose deed is set in the receipt: looks at the reaction.
Task<bool> finish_aimed(Act& act, std::int64_t began_ns);

}  // namespace gantry::observation
