// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/vectors.hpp>

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace gantry::embedding {

void append_vector(std::span<const float> vector, std::string& json) {
  json += '[';
  bool first = true;
  for (const float value : vector) {
    if (!first) json += ',';
    first = false;
    fmt::format_to(std::back_inserter(json), "{}", std::isfinite(value) ? value : 0.0F);
  }
  json += ']';
}

void append_space(const EmbeddingSpace& space, std::string& json) {
  const std::string object = to_json(space);
  json += std::string_view(object).substr(1, object.size() - 2);
}

void normalise(std::span<float> vector) {
  double square = 0;
  for (const float value : vector) {
    square += static_cast<double>(value) * static_cast<double>(value);
  }
  const double length = std::sqrt(square);
  if (!(length > 1e-12) || !std::isfinite(length)) return;
  for (float& value : vector) value = static_cast<float>(static_cast<double>(value) / length);
}

}  // namespace gantry::embedding
