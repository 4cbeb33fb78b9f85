// SPDX-License-Identifier: Apache-2.0
#pragma once
// The models of all plugins. Strand only.

#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/llm.hpp>
#include <gantry/task.hpp>

#include <string>
#include <utility>
#include <vector>

#include "ask.hpp"

namespace gantry::gateway {

/// Of each plugin the default first; a plugin that does not answer has none.
inline Task<std::vector<LlmModel>> list_models(Host& host) {
  std::vector<LlmModel> models;
  std::vector<std::string> plugins;
  Nothing nothing;
  const auto contracts = co_await ask<KernelContracts>(host, std::move(nothing));
  if (contracts.ok()) {
    for (const ContractInfo& contract : (*contracts)->contracts) {
      if (contract.name == LlmModels::kName) plugins = contract.providers;
    }
  }
  for (const std::string& plugin : plugins) {
    LlmModelsRequest request;
    CallOptions options;
    options.target = plugin;
    const auto list = co_await ask<LlmModels>(host, std::move(request), std::move(options));
    if (!list.ok()) continue;
    models.insert(models.end(), (*list)->models.begin(), (*list)->models.end());
  }
  co_return models;
}

}  // namespace gantry::gateway
