// SPDX-License-Identifier: Apache-2.0
#pragma once
// TurnOptions::model_settings: what a turn asks of its provider. Pure.

#include <gantry/contracts/llm.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::agent {

/// The members that every provider has.
struct ModelSettings {
  std::optional<double> temperature;              // 0 to 2
  std::optional<std::int64_t> max_output_tokens;  // at least 1
  std::optional<LlmEffort> effort;
  bool web_search = false;
  bool image_output = false;
};

/// Errors: invalid_argument (no object, a member that there is not, a value that does not fit; the
/// text says which, and what there is).
[[nodiscard]] Result<ModelSettings> read_model_settings(std::string_view json);

}  // namespace gantry::agent
