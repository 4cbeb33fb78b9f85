// SPDX-License-Identifier: Apache-2.0
//
// JSON that both HTTP services of embeddings answer. Pure functions.
#pragma once

#include <gantry/contracts/embedding.hpp>

#include <string>
#include <string_view>

namespace gantry::embedding {

/// {"status":"healthy", and the members of the space}
[[nodiscard]] std::string healthy_text(const EmbeddingSpace& space);

/// {"code":"…","message":"…","provider_id":"…","status_code":503,"retryable":true}
[[nodiscard]] std::string failure_text(const EmbeddingFailure& failure, std::string_view message);

}  // namespace gantry::embedding
