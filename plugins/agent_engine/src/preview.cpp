// SPDX-License-Identifier: Apache-2.0
#include "preview.hpp"

#include <algorithm>
#include <utility>

#include "core.hpp"
#include "text.hpp"
#include "tool_policy.hpp"

namespace gantry::agent {

Frame frame_of(const Core& core, const TurnOptions& options, const std::vector<AgentTool>& judged,
               ChosenModel model, const History& history) {
  Frame frame;
  frame.model = std::move(model);
  bool daemon = false;
  for (const AgentTool& tool : judged) {
    if (!tool.offered) continue;
    daemon = daemon || tool.place == ToolPlace::Daemon;
    frame.tools.push_back(tool);
  }
  frame.system_prompt = system_prompt_for(options, history, core.settings, daemon);
  frame.layers = options.layers;
  frame.model_settings = options.model_settings;
  frame.image_limit = core.settings.image_limit;
  frame.credentials = credentials_of(options);
  frame.tokens = estimate(frame);
  return frame;
}

std::vector<LlmCredential> credentials_of(const TurnOptions& options) {
  std::vector<LlmCredential> out;
  for (const auto& [provider, key] : options.provider_keys) out.push_back({provider, {key}});
  return out;
}

std::string user_text(const TurnStartRequest& request) {
  std::string out = request.text;
  for (const ContentBlock& block : request.content) {
    if (block.text.empty()) continue;
    if (!out.empty()) out += "\n";
    out += block.kind == ContentKind::Text ? block.text : untrusted_block(block.name, block.text);
  }
  return out;
}

TurnPreviewed preview_turn(const Core& core, const TurnStartRequest& request, const ToolSet& tools,
                           const Result<ChosenModel>& model, const History& history) {
  const auto judged = judge_tools(
      tools, {request.options.mode, request.options.client_tools, request.options.tools},
      core.settings.tools);
  const Frame frame =
      frame_of(core, request.options, judged, model.ok() ? *model : ChosenModel{}, history);
  TurnPreviewed out;
  out.model = frame.model.model.id;
  out.provider = frame.model.model.provider;
  out.system_prompt = frame.system_prompt;
  out.tools = tool_schemas(frame.tools);
  for (const PromptLayer& layer : frame.layers) {
    HistoryRow row;
    row.text = layer_text(layer);
    out.messages.push_back(std::move(row));
  }
  History after = history;
  if (!request.text.empty() || !request.content.empty()) {
    HistoryRow row;
    row.text = user_text(request);
    add(after, std::move(row));
  }
  for (const HistoryRow& row : after.rows) {
    out.messages.push_back(row);
    out.messages.back().text = shown_text(row);
  }
  if (model.ok()) {
    out.prompt_tokens = estimate(frame, after);
  } else {
    out.token_error = model.error().message;
  }
  return out;
}

}  // namespace gantry::agent
