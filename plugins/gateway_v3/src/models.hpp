// SPDX-License-Identifier: Apache-2.0
#pragma once
// The models of all plugins. Strand only.

#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/llm.hpp>
#include <gantry/task.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask.hpp"

namespace gantry::gateway {

/// The plugins that serve a contract.
inline Task<std::vector<std::string>> providers_of(Host& host, std::string_view name) {
  Nothing nothing;
  const auto contracts = co_await ask<KernelContracts>(host, std::move(nothing));
  std::vector<std::string> plugins;
  if (!contracts.ok()) co_return plugins;
  for (const ContractInfo& contract : (*contracts)->contracts) {
    if (contract.name == name) plugins = contract.providers;
  }
  co_return plugins;
}

/// Of each plugin the default first; a plugin that does not answer has none.
inline Task<std::vector<LlmModel>> list_models(Host& host) {
  std::vector<LlmModel> models;
  auto finding = providers_of(host, LlmModels::kName);
  const std::vector<std::string> plugins = co_await std::move(finding);
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
