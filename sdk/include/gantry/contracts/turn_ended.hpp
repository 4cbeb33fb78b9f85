// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a turn has used, for whoever counts it.

#include <gantry/contracts/session.hpp>

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry {

/// Said before the turn's last event, of turns that have asked a model.
struct TurnEndedEvent {
  SessionKey session;
  std::string turn;
  std::string caller;    // who had it made
  std::string provider;  // of the model
  std::string model;
  std::int64_t input_tokens = 0;   // of all its model calls
  std::int64_t output_tokens = 0;  // of all its model calls
};
BOOST_DESCRIBE_STRUCT(TurnEndedEvent, (),
                      (session, turn, caller, provider, model, input_tokens, output_tokens))

struct TurnEnded {
  static constexpr std::string_view kName = "gantry.turn.ended/1";
  static constexpr std::string_view kDoc = "A turn that has asked a model is over.";
  using Event = TurnEndedEvent;
};

}  // namespace gantry
