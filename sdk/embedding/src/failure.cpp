// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/failure.hpp>

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gantry::embedding {
namespace {

struct Row {
  Trouble trouble;
  std::string_view code;
  std::int32_t status;
  Code error;
  bool retryable;
};

constexpr Row kRows[] = {
    {Trouble::Unavailable, "provider_unavailable", 503, Code::Unavailable, true},
    {Trouble::CircuitOpen, "circuit_open", 503, Code::Unavailable, true},
    {Trouble::Capacity, "capacity_exceeded", 503, Code::ResourceExhausted, true},
    {Trouble::Timeout, "provider_timeout", 504, Code::DeadlineExceeded, true},
    {Trouble::RateLimited, "rate_limited", 429, Code::ResourceExhausted, true},
    {Trouble::InvalidResponse, "invalid_response", 502, Code::DataLoss, false},
    {Trouble::Refused, "provider_error", 502, Code::FailedPrecondition, false},
};

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

Result<void> check_request(const EmbedRequest& request) {
  if (request.texts.empty() || request.texts.size() > kMostTexts) {
    return invalid_argument(fmt::format("texts: 1 to {} are possible at once, not {}", kMostTexts,
                                        request.texts.size()));
  }
  std::size_t all = 0;
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    const std::size_t length = characters_of(request.texts[i]);
    if (length == 0 || length > kLongestText) {
      return invalid_argument(fmt::format("texts[{}]: 1 to {} characters are possible, not {}", i,
                                          kLongestText, length));
    }
    all += length;
  }
  if (all > kMostCharacters) {
    return invalid_argument(
        fmt::format("texts: {} characters are possible at once, not {}", kMostCharacters, all));
  }
  if (characters_of(request.model_name) > kLongestModelName) {
    return invalid_argument(
        fmt::format("model_name: {} characters are possible", kLongestModelName));
  }
  return {};
}

Error failure(Trouble trouble, std::string_view provider_id, std::string message) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [trouble](const Row& each) { return each.trouble == trouble; });
  const EmbeddingFailure detail{std::string(row->code), std::string(provider_id), row->status,
                                row->retryable};
  return {row->error, std::move(message), to_json(detail)};
}

Error missing(std::string_view provider_id, std::string_view reason, std::string_view cure) {
  return failure(Trouble::Unavailable, provider_id, unavailable(reason, cure).message);
}

std::optional<EmbeddingFailure> failure_of(const Error& error) {
  if (error.detail.empty()) return std::nullopt;
  auto read = from_json<EmbeddingFailure>(error.detail);
  if (!read.ok() || read->code.empty() || read->provider_id.empty()) return std::nullopt;
  return std::move(*read);
}

EmbeddingSpace make_space(std::string provider_id, std::string model_id, std::string model_name,
                          std::size_t dimension) {
  EmbeddingSpace space;
  space.provider_id = std::move(provider_id);
  space.model_id = std::move(model_id);
  space.model_name = std::move(model_name);
  space.dimension = static_cast<std::int32_t>(dimension);
  space.embedding_space_version = space_version(space);
  return space;
}

}  // namespace gantry::embedding
