// SPDX-License-Identifier: Apache-2.0
// What is known of models by their names. Prices are those that Anthropic has published for a
// million tokens; the configuration's go before them.
#include <array>

#include "dialect.hpp"

namespace gantry::anthropic {
namespace {

struct Known {
  std::string_view prefix;
  std::int64_t window, most_output;
  double input,
      output;  // 0: not known. Reading the cache costs a tenth, writing it a quarter more.
};

/// The longest prefix that fits counts.
constexpr std::array kKnown{
    Known{"claude", 200'000, 64'000, 0, 0},
    Known{"claude-3", 200'000, 8'192, 0, 0},
    Known{"claude-3-5-haiku", 200'000, 8'192, 0.8, 4},
    Known{"claude-3-7-sonnet", 200'000, 64'000, 3, 15},
    Known{"claude-haiku-4-5", 200'000, 64'000, 1, 5},
    Known{"claude-sonnet-4-", 200'000, 64'000, 3, 15},
    Known{"claude-opus-4-1", 200'000, 32'000, 15, 75},
    Known{"claude-opus-4-20", 200'000, 32'000, 15, 75},
    Known{"claude-opus-4-5", 200'000, 64'000, 5, 25},
    Known{"claude-opus-4-6", 200'000, 64'000, 5, 25},
};

constexpr std::array<std::string_view, 8> kByBudget{
    "claude-3-7",      "claude-opus-4-20",  "claude-opus-4-0",   "claude-opus-4-1",
    "claude-opus-4-5", "claude-sonnet-4-2", "claude-sonnet-4-5", "claude-haiku-4-5"};

const Known* known(std::string_view id) {
  const Known* best = nullptr;
  for (const Known& row : kKnown) {
    if (!id.starts_with(row.prefix)) continue;
    if (best == nullptr || row.prefix.size() > best->prefix.size()) best = &row;
  }
  return best;
}

}  // namespace

bool thinks_by_budget(std::string_view model) {
  for (const std::string_view prefix : kByBudget) {
    if (model.starts_with(prefix)) return true;
  }
  return false;
}

void Dialect::describe(LlmModel& model, const llm::Endpoint&) const {
  LlmCapabilities& can = model.capabilities;
  can.tools = can.parallel_tool_calls = can.images_in = can.caching = true;
  const Known* row = known(model.id);
  if (row == nullptr) return;
  model.family = "claude";
  model.context_window = row->window;
  model.max_output_tokens = row->most_output;
  can.web_search = true;
  const bool oldest = model.id.starts_with("claude-3") && !thinks_by_budget(model.id);
  can.thinking = !oldest;
  can.structured_output = !model.id.starts_with("claude-3");
  can.temperature = oldest || thinks_by_budget(model.id);
  if (can.thinking) {
    model.efforts = {LlmEffort::None, LlmEffort::Low, LlmEffort::Medium, LlmEffort::High};
    if (!thinks_by_budget(model.id)) model.efforts.push_back(LlmEffort::Max);
  }
  if (row->input > 0) {
    model.prices = LlmPrices{row->input, row->output, row->input * 0.1, row->input * 1.25};
  }
}

std::vector<std::string> Dialect::well_known(const llm::Endpoint&) const {
  return {"claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5"};
}

}  // namespace gantry::anthropic
