// SPDX-License-Identifier: Apache-2.0
#include "models.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/kernel.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace gantry::chat_aide {
namespace {

ModelRow row_of(const LlmModel& model) {
  ModelRow row;
  row.id = model.provider + ":" + model.id;
  row.name = model.display_name.empty() ? model.id : model.display_name;
  row.provider = model.provider;
  row.context_length = model.context_window;
  if (model.prices) row.pricing = Pricing{model.prices->input, model.prices->output};
  row.capabilities = {model.capabilities.images_in, model.capabilities.tools,
                      model.capabilities.web_search};
  return row;
}

}  // namespace

/// The answers of the plugins, in the order in which those were asked.
struct Models::Gathering {
  std::uint64_t load = 0;
  std::size_t open = 0;
  std::map<std::size_t, std::vector<LlmModel>> answers;
};

Result<void> Models::begin() {
  GANTRY_ASSIGN(subscription_, host_.bus().subscribe<LlmModelsChanged>(
                                   [this](const LlmModelsChangedEvent&) { load(); }));
  load();
  return {};
}

void Models::load() {
  host_.bus().call<KernelContracts>({}, [this](const Result<Ref<ContractInfoList>>& contracts) {
    if (!contracts.ok()) return;
    for (const ContractInfo& contract : (*contracts)->contracts) {
      if (contract.name == LlmModels::kName) return ask(contract.providers);
    }
  });
}

void Models::ask(const std::vector<std::string>& plugins) {
  auto gathering = std::make_shared<Gathering>();
  gathering->load = ++loads_;
  gathering->open = plugins.size();
  for (std::size_t at = 0; at < plugins.size(); ++at) {
    CallOptions options;
    options.target = plugins[at];
    host_.bus().call<LlmModels>(
        {},
        [this, gathering, at](const Result<Ref<LlmModelList>>& list) {
          if (list.ok()) gathering->answers[at] = (*list)->models;
          if (--gathering->open != 0 || gathering->load != loads_) return;
          std::vector<LlmModel> all;
          for (auto& [order, models] : gathering->answers) {
            all.insert(all.end(), models.begin(), models.end());
          }
          take(all);
        },
        options);
  }
}

void Models::take(const std::vector<LlmModel>& models) {
  std::vector<ModelRow> rows;
  ids_.clear();
  usual_.clear();
  for (const LlmModel& model : models) {
    if (!model.available) continue;
    rows.push_back(row_of(model));
    ids_.push_back(rows.back().id);
    if (usual_.empty() && model.is_default) usual_ = rows.back().id;
  }
  if (usual_.empty() && !ids_.empty()) usual_ = ids_.front();
  std::string frame = models_frame(std::move(rows), usual_);
  if (frame == frame_) return;
  frame_ = std::move(frame);
  changed_();
}

bool Models::knows(const std::string& id) const {
  return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
}

}  // namespace gantry::chat_aide
