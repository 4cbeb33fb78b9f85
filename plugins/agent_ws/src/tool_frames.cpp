// SPDX-License-Identifier: Apache-2.0
#include "tool_frames.hpp"

namespace gantry::agent_ws {
namespace {

/// The call in the model's own words.
ModelFacingCall model_facing(const ToolCallItem& item) {
  return {item.id, item.name, item.grounding ? item.grounding->asked : item.arguments};
}

std::string wire_name(const ToolCallItem& item) {
  return item.tool.empty() ? item.name : item.tool;
}

std::optional<PictureSize> size_if_known(std::int32_t width, std::int32_t height) {
  if (width <= 0 || height <= 0) return std::nullopt;
  return PictureSize{width, height};
}

template <class T>
void add_grounding(const ToolCallItem& item, T& out) {
  if (!item.grounding) return;
  out.coordinate_method = item.grounding->method;
  out.coordinate_status = "resolved";
  out.source_size = size_if_known(item.grounding->source_width, item.grounding->source_height);
  out.target_size = size_if_known(item.grounding->target_width, item.grounding->target_height);
}

}  // namespace

ToolCallPayload tool_call(const ToolCallItem& item) {
  ToolCallPayload payload;
  payload.tool_name = item.place == ToolPlace::Client ? item.name : wire_name(item);
  payload.request_id = item.request;
  payload.metadata.tool_call_id = item.id;
  payload.metadata.model_facing_tool_call = model_facing(item);
  add_grounding(item, payload.metadata);
  if (item.place == ToolPlace::Nowhere) {
    payload.metadata.llm_tool_call_validation_failed = true;
    payload.metadata.request_id = item.request;
  } else {
    payload.parameters = item.arguments;
  }
  if (item.place != ToolPlace::Client) {
    payload.metadata.skip_local_execution = true;
    payload.metadata.execution_owner = "backend";
  }
  return payload;
}

BundleItem bundle_item(const ToolCallItem& item) {
  BundleItem out;
  out.name = item.name;
  out.args = item.arguments;
  out.request_id = item.request;
  out.tool_call_id = item.id;
  out.model_facing_tool_call = model_facing(item);
  add_grounding(item, out);
  return out;
}

}  // namespace gantry::agent_ws
