// SPDX-License-Identifier: Apache-2.0
#pragma once
// The endpoints of the configuration: OpenAI itself, the vendors that speak its language, and
// servers of one's own.

#include <gantry/llm/provider_plugin.hpp>

#include <string>
#include <vector>

namespace gantry::openai {

[[nodiscard]] Result<std::vector<llm::CatalogueEndpoint>> read_endpoints(
    const llm::ProviderSettings& common, const std::string& config);

}  // namespace gantry::openai
