// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes of a WebSocket as a client that costs next to nothing sees them, and what the two chats
// say in them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::bench {

/// A connected socket to 127.0.0.1:port, after which it does not block. Ends the process with a
/// message when there is none.
int connect_to(std::uint16_t port);

/// The request that opens a WebSocket.
std::string opening(std::string_view path);
/// A text as a client frames it.
std::string client_frame(std::string_view text);
/// The end of a WebSocket.
std::string closing_frame();

/// Takes the next whole text off the beginning of `in`; nothing when it has not come yet. Other
/// frames are passed over.
std::optional<std::string> take_text(std::string& in);

/// What a frame of a server means to whoever waits for an answer.
enum class Meaning : std::uint8_t {
  Other,
  LoggedIn,  // the next message may be sent
  Token,     // a piece of the answer
  Done,
  Failed
};

/// One of the chats, as a client speaks it.
struct Dialect {
  std::string path;
  bool logs_in = false;

  /// The first message of a connection, where the protocol has one.
  std::string (*login)(const std::string& secret) = nullptr;
  /// Asks a model that answers at once; `place` is the workspace, where the protocol names one.
  std::string (*chat)(const std::string& key, const std::string& place) = nullptr;
  Meaning (*meaning)(std::string_view frame) = nullptr;
};

/// nullptr: there is no such chat.
const Dialect* dialect(std::string_view name);

}  // namespace gantry::bench
