// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model is sent: the system prompt, layers of the client, the history with its pictures, the
// tools. Pure functions.

#include <gantry/contracts/llm.hpp>
#include <gantry/contracts/turn.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "history.hpp"
#include "images.hpp"
#include "models.hpp"
#include "settings.hpp"

namespace gantry::agent {

/// What of a turn does not change from one model call to the next.
struct Frame {
  ChosenModel model;
  std::string system_prompt;
  std::vector<PromptLayer> layers;
  std::vector<AgentTool> tools;  // that are offered
  Json model_settings{"{}"};
  std::vector<LlmCredential> credentials;
  std::string cache_key;
  std::int64_t image_limit = 0;
  std::int64_t tokens = 0;  // of what it adds to the history, see estimate()
};

/// The provider's blocks of an answer, as HistoryRow::provider keeps them.
struct ProviderBlocks {
  std::vector<LlmBlock> blocks;
};
BOOST_DESCRIBE_STRUCT(ProviderBlocks, (), (blocks))

/// The text of a row as the model reads it, its pictures aside.
[[nodiscard]] std::string shown_text(const HistoryRow& row);

/// Rendered for this client; the session's or the protocol's own comes before the usual one.
[[nodiscard]] std::string system_prompt_for(const TurnOptions& options, const History& history,
                                            const Settings& settings, bool daemon_tools);

using ImageBytes = std::function<std::optional<ShownImage>(const ImageRef&)>;

/// The pictures that a model call shows, newest first kept: at most eight of one message, and only
/// those of the last few messages that have any.
[[nodiscard]] std::vector<ImageRef> shown_images(const History& history);

[[nodiscard]] LlmChatRequest build_request(const Frame& frame, const History& history,
                                           const ImageBytes& bytes);
/// A client's layer as the model reads it.
[[nodiscard]] std::string layer_text(const PromptLayer& layer);
/// The message of an assistant, from what a model call brought.
[[nodiscard]] HistoryRow row_of(const LlmFinish& finish);

/// [{"name", "description", "parameters"}]
[[nodiscard]] Json tool_schemas(const std::vector<AgentTool>& tools);
/// Tokens of the frame's own messages and tools, about.
[[nodiscard]] std::int64_t estimate(const Frame& frame);
/// What build_request() would take, about, without its pictures' bytes. `frame.tokens` is known.
[[nodiscard]] std::int64_t estimate(const Frame& frame, const History& history);

}  // namespace gantry::agent
