// SPDX-License-Identifier: Apache-2.0
#pragma once
// Input to the keyboard that may move the focus on its way: several keys, or text with a tab in it.
// Where rules are about elements it goes out piece by piece, and whatever has got the focus
// meanwhile is judged before it is sent the next piece.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pointing.hpp"

namespace gantry::observation {

/// Sends one piece.
using SendPiece = std::function<Task<Answer<InputReceipt>>(std::string)>;

/// Presses keys, or types text.
[[nodiscard]] SendPiece key_sender(Engine& engine, ActIntent intent);
[[nodiscard]] SendPiece text_sender(Engine& engine, ActIntent intent);

/// An input, and where it can be cut.
struct Pieces {
  std::string whole;
  std::vector<std::string> parts;
  std::string must_show;  ///< Of a text: what the element it is meant for has to hold afterwards.
};

/// "ctrl+a tab" in its chords.
[[nodiscard]] Pieces chords_of(std::string_view keys);

/// A text cut after each tab and, unless they are text to the element, each newline. `element` is
/// what it is meant for; nullptr: nobody knows.
[[nodiscard]] Pieces pieces_of(std::string_view text, const Node* element);

/// What was delivered, and to which window.
struct Sent {
  Deed deed;
  std::string window;
};

/// Sends an input as a whole, or one by one where rules are about elements. The first has been
/// judged with the act. A refusal or failure on the way says how many pieces were sent.
Task<Outcome<Sent>> send_pieces(Act& act, Pieces pieces, SendPiece send);

}  // namespace gantry::observation
