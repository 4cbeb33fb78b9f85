// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bodies of requests, both ways; the only place where their JSON names are spelt.

#include <boost/describe/class.hpp>

#include <string>

namespace gantry::channel_webhook {

/// What comes in.
struct IncomingMessage {
  std::string chat;  // whom the sender talks for: each is a session of its own; not empty
  std::string text;
  std::string id;  // the sender's; comes back with the answer
};
BOOST_DESCRIBE_STRUCT(IncomingMessage, (), (chat, text, id))

/// What is answered at once.
struct Taken {
  bool accepted = true;
  std::string session_key;
};
BOOST_DESCRIBE_STRUCT(Taken, (), (accepted, session_key))

/// What goes out.
struct OutgoingMessage {
  std::string chat;
  std::string text;
  std::string in_reply_to;  // IncomingMessage::id; empty: of no message
  std::string error;        // why there is no answer; empty: there is one
};
BOOST_DESCRIBE_STRUCT(OutgoingMessage, (), (chat, text, in_reply_to, error))

struct Refusal {
  std::string error;
};
BOOST_DESCRIBE_STRUCT(Refusal, (), (error))

}  // namespace gantry::channel_webhook
