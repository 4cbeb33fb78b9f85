// SPDX-License-Identifier: Apache-2.0
// What is known of models by their names. Prices are those that Google has published for a million
// tokens of short prompts; the configuration's go before them.
#include <array>

#include "dialect.hpp"

namespace gantry::gemini {
namespace {

struct Known {
  std::string_view prefix;
  std::int64_t window, most_output;
  double input, output, cached;  // 0: not known
};

/// The longest prefix that fits counts.
constexpr std::array kKnown{
    Known{"gemini", 1'048'576, 65'536, 0, 0, 0},
    Known{"gemini-2.5-pro", 1'048'576, 65'536, 1.25, 10, 0.125},
    Known{"gemini-2.5-flash", 1'048'576, 65'536, 0.3, 2.5, 0.03},
    Known{"gemini-2.5-flash-lite", 1'048'576, 65'536, 0.1, 0.4, 0.01},
    Known{"gemini-2.5-flash-image", 32'768, 32'768, 0.3, 0, 0},
    Known{"gemini-2.0-flash", 1'048'576, 8'192, 0.1, 0.4, 0.025},
};

const Known* known(std::string_view id) {
  const Known* best = nullptr;
  for (const Known& row : kKnown) {
    if (!id.starts_with(row.prefix)) continue;
    if (best == nullptr || row.prefix.size() > best->prefix.size()) best = &row;
  }
  return best;
}

bool before_thinking(std::string_view id) {
  return id.starts_with("gemini-1") || id.starts_with("gemini-2.0");
}

}  // namespace

bool has_levels(std::string_view model) {
  return model.starts_with("gemini-") && !model.starts_with("gemini-1") &&
         !model.starts_with("gemini-2");
}

void Dialect::describe(LlmModel& model, const llm::Endpoint&) const {
  LlmCapabilities& can = model.capabilities;
  const Known* row = known(model.id);
  const bool draws = model.id.find("-image") != std::string::npos;
  can.tools = can.parallel_tool_calls = !draws;
  can.images_in = true;
  can.images_out = draws;
  can.structured_output = !draws;
  if (row == nullptr) return;
  model.family = "gemini";
  model.context_window = row->window;
  model.max_output_tokens = row->most_output;
  can.web_search = true;
  can.thinking = !draws && !before_thinking(model.id);
  if (can.thinking) {
    model.efforts = {LlmEffort::Minimal, LlmEffort::Low, LlmEffort::Medium, LlmEffort::High};
    if (!has_levels(model.id) && model.id.find("flash") != std::string::npos) {
      model.efforts.insert(model.efforts.begin(), LlmEffort::None);
    }
  }
  if (row->input > 0 && row->output > 0) {
    model.prices = LlmPrices{row->input, row->output, row->cached, std::nullopt};
  }
}

std::vector<std::string> Dialect::well_known(const llm::Endpoint&) const {
  return {"gemini-2.5-flash", "gemini-2.5-pro", "gemini-2.5-flash-lite"};
}

}  // namespace gantry::gemini
