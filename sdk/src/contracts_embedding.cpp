// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/embedding.hpp>

GANTRY_INSTANTIATE(gantry::EmbeddingSpace)
GANTRY_INSTANTIATE(gantry::EmbedRequest)
GANTRY_INSTANTIATE(gantry::EmbedResult)
GANTRY_INSTANTIATE(gantry::EmbeddingFailure)
