// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a client's messages say. Nothing is required of them but to be JSON: what is missing or of
// another kind is said in words where it matters, and a message that is none of these is nothing.
// Pure, any thread.

#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gantry::chat_cortask {

struct Attachment {
  std::string media_type;  // as declared: mimeType
  std::vector<std::uint8_t> bytes;
  std::string name;
};

struct ChatMessage {
  std::optional<std::string> session_key;  // may be the empty text
  std::string text;
  std::string workspace;
  std::vector<Attachment> attachments;
  std::vector<std::string> file_references;
  std::string problem;  // what is wrong with it, for people; empty: nothing
};

struct CancelMessage {
  std::string session_key;
};

struct PermissionAnswer {
  std::string request;
  bool approved = false;  // as JavaScript takes a value for true
};

struct QuestionnaireReply {
  std::string request;
  Json responses{"{}"};  // an object
};

/// A message that asks for nothing: of an unknown type, or no object.
struct NoMessage {};
/// No JSON.
struct BadMessage {};

using ClientMessage = std::variant<NoMessage, BadMessage, ChatMessage, CancelMessage,
                                   PermissionAnswer, QuestionnaireReply>;

[[nodiscard]] ClientMessage read_message(std::string_view text);

}  // namespace gantry::chat_cortask
