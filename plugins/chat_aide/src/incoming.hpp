// SPDX-License-Identifier: Apache-2.0
//
// The messages that clients send. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gantry::chat_aide {

struct Attachment {
  std::string media_type;  // image/png, image/jpeg, image/webp, image/gif, application/pdf
  std::vector<std::uint8_t> bytes;
  std::string name;  // may be empty
};

struct ChatMessage {
  std::string text;
  std::string model;       // empty: the default
  std::string session_id;  // empty: the connection's own
  std::vector<Attachment> attachments;
};

/// Bytes that a message holds.
[[nodiscard]] std::size_t weight_of(const ChatMessage& message);

struct Confirm {
  std::string call_id;
  bool response = false;
};

/// Why a frame is none: what stands after "Invalid message: ".
struct InvalidFrame {
  std::string what;
};

using Incoming = std::variant<ChatMessage, Confirm, InvalidFrame>;

/// Never fails otherwise, whatever the bytes are.
[[nodiscard]] Incoming read_incoming(std::string_view frame);

/// Ids of sessions: 1 to 128 of A-Z a-z 0-9 . _ : -
[[nodiscard]] bool is_session_id(std::string_view text);

}  // namespace gantry::chat_aide
