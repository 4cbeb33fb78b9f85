// SPDX-License-Identifier: Apache-2.0
//
// Text embeddings: texts become vectors that point the same way when the texts mean the same.
#pragma once

#include <gantry/contracts/common.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// Where vectors come from. Only vectors of the same space can be compared.
struct EmbeddingSpace {
  std::string provider_id;  // "local-lsa", "local-sentence-transformer", "remote-http", "openai"
  std::string model_id;     // as its maker calls it
  std::string model_name;   // for people
  std::int32_t dimension = 0;
  std::string embedding_space_version;  // "<provider_id>:<model_id>:<dimension>"
};
BOOST_DESCRIBE_STRUCT(EmbeddingSpace, (),
                      (provider_id, model_id, model_name, dimension, embedding_space_version))

/// The name of a space, as clients keep it beside their vectors.
inline std::string space_version(const EmbeddingSpace& space) {
  return space.provider_id + ':' + space.model_id + ':' + std::to_string(space.dimension);
}

struct EmbedRequest {
  std::vector<std::string> texts;  // 1 to 256 UTF-8 texts of 1 to 8192 characters, 65536 in all
  std::string model_name;          // a hint; a provider has one model and may ignore it
};
BOOST_DESCRIBE_STRUCT(EmbedRequest, (), (texts, model_name))

/// As many numbers as the space has dimensions; of length 1 unless the text says nothing.
struct EmbeddingVector {
  std::vector<float> values;
};
BOOST_DESCRIBE_STRUCT(EmbeddingVector, (), (values))

struct EmbedResult {
  std::vector<EmbeddingVector> embeddings;  // one for each text, in their order
  EmbeddingSpace space;
  double queue_wait_ms = 0;
  double service_time_ms = 0;
};
BOOST_DESCRIBE_STRUCT(EmbedResult, (), (embeddings, space, queue_wait_ms, service_time_ms))

/// What stands in Error::detail of a provider's failure.
struct EmbeddingFailure {
  std::string code;  // provider_unavailable, circuit_open, capacity_exceeded, provider_timeout,
                     // rate_limited, invalid_response, provider_error
  std::string provider_id;
  std::int32_t status_code = 0;  // the HTTP status that says the same
  bool retryable = false;
};
BOOST_DESCRIBE_STRUCT(EmbeddingFailure, (), (code, provider_id, status_code, retryable))

/// Errors: invalid_argument (the limits of EmbedRequest), and with an EmbeddingFailure as detail
/// unavailable (provider_unavailable, circuit_open; says how to cure it), resource_exhausted
/// (capacity_exceeded, rate_limited), deadline_exceeded, internal.
struct Embed {
  static constexpr std::string_view kName = "gantry.embedding.embed/1";
  static constexpr std::string_view kDoc = "Turns texts into vectors of their meaning.";
  using Request = EmbedRequest;
  using Response = EmbedResult;
};

/// Errors: unavailable, with the reason and its cure.
struct EmbeddingHealth {
  static constexpr std::string_view kName = "gantry.embedding.health/1";
  static constexpr std::string_view kDoc = "Says which space the vectors are of.";
  using Request = Nothing;
  using Response = EmbeddingSpace;
};

}  // namespace gantry
