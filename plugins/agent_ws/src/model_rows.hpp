// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models as this protocol lists them: a row for each reasoning mode of a model. Pure, any thread.

#include <gantry/contracts/llm.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_ws {

/// The engine's name of a chosen model. The wire has "<model id>@@<variant>" or only the id; the
/// variant ends in its reasoning mode ("gpt-5-4-high-thinking", "high").
[[nodiscard]] std::string engine_model(std::string_view provider, std::string_view id);

struct ModelRow {
  std::string id;
  std::string provider;
  std::string display_name;
  std::optional<std::string> runtime_model_id;
  std::optional<std::string> family_id;
  std::optional<std::string> family_label;
  std::optional<bool> supports_thinking;
  std::optional<std::string> reasoning_mode;
  std::optional<std::vector<std::string>> reasoning_modes;
  std::optional<std::string> default_reasoning_mode;
  std::optional<std::string> default_model_id;
  std::optional<bool> supports_native_web_search;
  std::optional<std::map<std::string, bool>> capabilities;
  std::optional<std::int64_t> context_window;
  std::optional<std::int64_t> max_output_tokens;
  std::optional<std::string> input_price;
  std::optional<std::string> output_price;
  std::optional<bool> available;
  std::optional<std::string> reason_unavailable;
};
BOOST_DESCRIBE_STRUCT(ModelRow, (),
                      (id, provider, display_name, runtime_model_id, family_id, family_label,
                       supports_thinking, reasoning_mode, reasoning_modes, default_reasoning_mode,
                       default_model_id, supports_native_web_search, capabilities, context_window,
                       max_output_tokens, input_price, output_price, available, reason_unavailable))

/// The payload of models-listed as the published text has it.
struct ModelGroups {
  std::vector<ModelRow> local;
  std::vector<ModelRow> online;
  std::vector<ModelRow> vision;
};
BOOST_DESCRIBE_STRUCT(ModelGroups, (), (local, online, vision))

[[nodiscard]] ModelGroups model_groups(const std::vector<LlmModel>& models);
/// The same as one list, as deployed clients expect it.
[[nodiscard]] std::vector<ModelRow> flat_rows(const ModelGroups& groups);

}  // namespace gantry::agent_ws
