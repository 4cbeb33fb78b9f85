// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the log of a session keeps of a query of this protocol. Pure.

#include <string>
#include <string_view>

namespace gantry::agent_ws {

/// What the log keeps of the query besides its text, in TurnStartRequest::caller: which parts of an
/// agent_definition came with it, whether the answer is to be spoken, and the client's revision of
/// the conversation.
struct QueryMarks {
  bool definition = false;
  bool manifest = false;
  bool speech = false;
  std::string mute;  // why the answer is not spoken all the same; at most 160 bytes are kept
  std::string revision_id;

  [[nodiscard]] std::string caller() const;
  [[nodiscard]] static QueryMarks of(std::string_view caller);
};

}  // namespace gantry::agent_ws
