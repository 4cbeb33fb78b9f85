// SPDX-License-Identifier: Apache-2.0
//
// Vectors as JSON text, and members of a space. Pure functions.
#pragma once

#include <gantry/contracts/embedding.hpp>

#include <span>
#include <string>

namespace gantry::embedding {

/// Appends "[0.1,-0.25]": the shortest digits that give the same float again.
void append_vector(std::span<const float> vector, std::string& json);

/// Appends the members of a space without braces:
/// "provider_id":"…","model_id":"…","model_name":"…","dimension":384,"embedding_space_version":"…".
void append_space(const EmbeddingSpace& space, std::string& json);

/// Brings it to length 1; one of zeros, or of what is no number, stays as it is.
void normalise(std::span<float> vector);

}  // namespace gantry::embedding
