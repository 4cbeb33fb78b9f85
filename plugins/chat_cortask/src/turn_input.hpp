// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a chat brings besides its words: files of the workspace and attachments, as the engine takes
// them. Pictures are kept as artifacts, everything else becomes text.

#include <gantry/contracts/content.hpp>
#include <gantry/contracts/workspace.hpp>
#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "incoming.hpp"

namespace gantry::chat_cortask {

/// The part of a turn that is made of a message.
struct TurnInput {
  std::string text;
  std::vector<ContentBlock> content;   // text, after it
  std::vector<std::string> artifacts;  // ids of pictures
};

/// Files are those of the principal's `workspace`. Calls `done` once, on the strand; at once when
/// there is nothing to look at. Errors: invalid_argument (an attachment that no model can read),
/// unavailable.
void gather_input(Host& host, const std::string& principal, const std::string& workspace,
                  const ChatMessage& message, std::function<void(Result<TurnInput>)> done);

/// A file of the workspace as the model reads it: "[File: <name>]" and its text in a fence, or why
/// there is none. Empty for a path that leads out.
[[nodiscard]] std::string reference_text(const WorkspaceReference& reference);

/// image/png, image/jpeg, image/webp, image/gif or application/pdf of what the bytes are, else "".
[[nodiscard]] std::string_view sniffed_type(std::string_view bytes);

}  // namespace gantry::chat_cortask
