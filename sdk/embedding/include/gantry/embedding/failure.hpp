// SPDX-License-Identifier: Apache-2.0
//
// The limits of requests and the errors of providers. Pure functions.
#pragma once

#include <gantry/contracts/embedding.hpp>
#include <gantry/result.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::embedding {

inline constexpr std::size_t kMostTexts = 256;
inline constexpr std::size_t kLongestText = 8192;      // characters
inline constexpr std::size_t kMostCharacters = 65536;  // of all texts
inline constexpr std::size_t kLongestModelName = 128;  // characters

/// For whoever calls a provider: longer than the limits that it has itself (its line of requests,
/// and each of the parts of a large one), which say better what was slow.
inline constexpr std::chrono::minutes kCallLimit{5};

/// Errors: invalid_argument, in words for whoever made the request.
[[nodiscard]] Result<void> check_request(const EmbedRequest& request);

enum class Trouble {
  Unavailable,      // provider_unavailable: not configured, not installed, not reachable
  CircuitOpen,      // circuit_open: it failed so often that it is not asked for a while
  Capacity,         // capacity_exceeded: too many requests, and none ended in time
  Timeout,          // provider_timeout
  RateLimited,      // rate_limited
  InvalidResponse,  // invalid_response: no embeddings, or not those that were asked for
  Refused,          // provider_error: it says that the request is wrong
};

/// An error of the contract, with its EmbeddingFailure.
[[nodiscard]] Error failure(Trouble trouble, std::string_view provider_id, std::string message);
/// Something this machine lacks, with what cures it.
[[nodiscard]] Error missing(std::string_view provider_id, std::string_view reason,
                            std::string_view cure);

/// What a provider said; nullopt: the error is none of a provider (nobody serves the contract).
[[nodiscard]] std::optional<EmbeddingFailure> failure_of(const Error& error);

[[nodiscard]] EmbeddingSpace make_space(std::string provider_id, std::string model_id,
                                        std::string model_name, std::size_t dimension);

}  // namespace gantry::embedding
