// SPDX-License-Identifier: Apache-2.0
#include "model_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gantry::agent_ws {
namespace {

constexpr std::string_view kVariantMark = "@@";
constexpr std::string_view kThinkingSuffix = "-thinking";

struct EffortRow {
  LlmEffort effort;
  std::string_view mode;    // on the wire
  std::string_view engine;  // as the engine names it
  std::string_view label;
};
constexpr std::array kEfforts = {
    EffortRow{LlmEffort::None, "none", "none", "None"},
    EffortRow{LlmEffort::Minimal, "minimal", "minimal", "Minimal"},
    EffortRow{LlmEffort::Low, "low", "low", "Low"},
    EffortRow{LlmEffort::Medium, "medium", "medium", "Medium"},
    EffortRow{LlmEffort::High, "high", "high", "High"},
    EffortRow{LlmEffort::Max, "xhigh", "max", "Extra high"},
};
/// The mode of a model whose own choice is not known, in order of preference.
constexpr std::array<std::string_view, 3> kUsualModes{"none", "medium", "low"};

std::string variant_id(const LlmModel& model, std::string_view mode) {
  std::string slug = model.id;
  std::replace(slug.begin(), slug.end(), '.', '-');
  return fmt::format("{}{}{}-{}{}", model.id, kVariantMark, slug, mode, kThinkingSuffix);
}

std::string price(double dollars) {
  return dollars <= 0 ? std::string("Free") : fmt::format("${:g} / 1M tokens", dollars);
}

std::vector<EffortRow> modes_of(const LlmModel& model) {
  std::vector<EffortRow> modes;
  for (const EffortRow& row : kEfforts) {
    if (std::find(model.efforts.begin(), model.efforts.end(), row.effort) != model.efforts.end()) {
      modes.push_back(row);
    }
  }
  return modes;
}

std::string usual_mode(const std::vector<std::string>& modes) {
  for (const std::string_view usual : kUsualModes) {
    if (std::find(modes.begin(), modes.end(), usual) != modes.end()) return std::string(usual);
  }
  return modes.front();
}

ModelRow base_row(const LlmModel& model) {
  ModelRow row;
  row.id = model.id;
  row.provider = model.provider;
  row.display_name = model.display_name.empty() ? fmt::format("{}/{}", model.provider, model.id)
                                                : model.display_name;
  row.runtime_model_id = model.id;
  row.family_id = fmt::format("{}::{}", model.provider, model.id);
  row.family_label = row.display_name;
  row.supports_thinking = model.capabilities.thinking;
  row.supports_native_web_search = model.capabilities.web_search;
  row.capabilities = std::map<std::string, bool>{
      {"supports_native_web_search", model.capabilities.web_search},
      {"supports_tools", model.capabilities.tools},
      {"supports_images", model.capabilities.images_in},
      {"supports_image_output", model.capabilities.images_out},
  };
  row.context_window = model.context_window;
  row.max_output_tokens = model.max_output_tokens;
  if (model.prices) {
    row.input_price = price(model.prices->input);
    row.output_price = price(model.prices->output);
  }
  row.available = model.available;
  if (!model.available && !model.reason.empty()) {
    row.reason_unavailable =
        model.cure.empty() ? model.reason : fmt::format("{} (cure: {})", model.reason, model.cure);
  }
  return row;
}

/// One row for each mode of the model, or one for a model without modes.
void add_rows(std::vector<ModelRow>& out, const LlmModel& model) {
  const std::vector<EffortRow> modes = modes_of(model);
  if (modes.empty()) {
    out.push_back(base_row(model));
    return;
  }
  std::vector<std::string> names;
  for (const EffortRow& mode : modes) names.emplace_back(mode.mode);
  const std::string usual = usual_mode(names);
  for (const EffortRow& mode : modes) {
    ModelRow row = base_row(model);
    row.id = variant_id(model, mode.mode);
    row.display_name += fmt::format(" {}", mode.label);
    row.reasoning_mode = std::string(mode.mode);
    row.reasoning_modes = names;
    row.default_reasoning_mode = usual;
    row.default_model_id = variant_id(model, usual);
    out.push_back(std::move(row));
  }
}

}  // namespace

std::string engine_model(std::string_view provider, std::string_view id) {
  if (id.empty()) return {};
  const std::size_t mark = id.find(kVariantMark);
  std::string out(id.substr(0, mark));
  if (!provider.empty() && !out.starts_with(fmt::format("{}/", provider))) {
    out = fmt::format("{}/{}", provider, out);
  }
  if (mark == std::string_view::npos) return out;
  std::string_view variant = id.substr(mark + kVariantMark.size());
  if (variant.ends_with(kThinkingSuffix)) variant.remove_suffix(kThinkingSuffix.size());
  const std::string_view mode = variant.substr(variant.rfind('-') + 1);
  const auto row = std::find_if(kEfforts.begin(), kEfforts.end(),
                                [mode](const EffortRow& entry) { return entry.mode == mode; });
  return row == kEfforts.end() ? out : fmt::format("{}{}{}", out, kVariantMark, row->engine);
}

ModelGroups model_groups(const std::vector<LlmModel>& models) {
  ModelGroups groups;
  for (const LlmModel& model : models) add_rows(model.local ? groups.local : groups.online, model);
  return groups;
}

std::vector<ModelRow> flat_rows(const ModelGroups& groups) {
  std::vector<ModelRow> out = groups.online;
  out.insert(out.end(), groups.local.begin(), groups.local.end());
  return out;
}

}  // namespace gantry::agent_ws
