// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/llm/provider_plugin.hpp>

#include "dialect.hpp"

namespace gantry::anthropic {

class AnthropicPlugin final : public llm::ProviderPlugin {
 public:
  explicit AnthropicPlugin(Host& host) : ProviderPlugin(host, std::make_unique<Dialect>()) {}

 protected:
  [[nodiscard]] Result<std::vector<llm::CatalogueEndpoint>> endpoints(
      const llm::ProviderSettings& settings, const std::string&) const override {
    constexpr llm::Vendor kVendor{"anthropic", "https://api.anthropic.com", "", "ANTHROPIC_API_KEY",
                                  "",          "ANTHROPIC_BASE_URL"};
    return std::vector{llm::make_endpoint(kVendor, settings, kPlugin)};
  }
};

}  // namespace gantry::anthropic
