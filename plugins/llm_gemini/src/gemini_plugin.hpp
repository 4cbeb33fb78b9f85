// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/llm/provider_plugin.hpp>

#include "dialect.hpp"

namespace gantry::gemini {

class GeminiPlugin final : public llm::ProviderPlugin {
 public:
  explicit GeminiPlugin(Host& host) : ProviderPlugin(host, std::make_unique<Dialect>()) {}

 protected:
  [[nodiscard]] Result<std::vector<llm::CatalogueEndpoint>> endpoints(
      const llm::ProviderSettings& settings, const std::string&) const override {
    constexpr llm::Vendor kVendor{"google",
                                  "https://generativelanguage.googleapis.com/v1beta",
                                  "",
                                  "GEMINI_API_KEY",
                                  "GOOGLE_API_KEY",
                                  ""};
    return std::vector{llm::make_endpoint(kVendor, settings, kPlugin)};
  }
};

}  // namespace gantry::gemini
