// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/llm/provider_plugin.hpp>

#include "dialect.hpp"
#include "settings.hpp"

namespace gantry::openai {

class OpenAiPlugin final : public llm::ProviderPlugin {
 public:
  explicit OpenAiPlugin(Host& host) : ProviderPlugin(host, std::make_unique<Dialect>()) {}

 protected:
  [[nodiscard]] Result<std::vector<llm::CatalogueEndpoint>> endpoints(
      const llm::ProviderSettings& settings, const std::string& config) const override {
    return read_endpoints(settings, config);
  }
};

}  // namespace gantry::openai
