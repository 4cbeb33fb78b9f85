// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/host.hpp>

#include <string>

namespace gantry::conformance {

/// Serves gantry.embedding.* for the tables. A text is a vector of its first byte, its length and
/// its place; "fail CODE" fails with that code of EmbeddingFailure, "fail internal" with an error
/// that is none of a provider, "fail empty" answers without vectors. `health` is what
/// gantry.embedding.health/1 says: good, missing or broken.
void serve_embeddings(Host& host, const std::string& health);

}  // namespace gantry::conformance
