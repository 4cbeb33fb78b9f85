// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tools answer: one JSON object as text. Successes begin with ok: true and say the effect, the
// route and the evidence where something was done; failures have the shape of the observer's. Pure
// functions.

#include <gantry/contracts/tool.hpp>

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace gantry::desk {

/// An answer of the observer's tool.
struct Seen {
  bool ok = false;
  std::string code;  ///< Of the failure: "ConfirmationRequired", …
  std::string message;
  boost::json::object answer;
  std::string text;  ///< The answer as it came.
};

[[nodiscard]] ToolResult done(boost::json::object members);
[[nodiscard]] ToolResult failed(std::string_view code, std::string_view message,
                                boost::json::object context = {});
/// A failure of the observer as it came.
[[nodiscard]] ToolResult failed(const Seen& seen);

/// Of an act's answer what a model needs: what was done to what, effect, route and evidence.
[[nodiscard]] boost::json::object receipt_of(const Seen& seen);
/// The tool's answer to an act of the observer.
[[nodiscard]] ToolResult acted(const Seen& seen, std::string_view action);

}  // namespace gantry::desk
