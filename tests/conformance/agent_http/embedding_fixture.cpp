// SPDX-License-Identifier: Apache-2.0
#include "embedding_fixture.hpp"

#include <gantry/contracts/embedding.hpp>
#include <gantry/embedding/failure.hpp>

#include <map>
#include <stdexcept>
#include <string_view>

namespace gantry::conformance {
namespace {

using embedding::Trouble;

const std::map<std::string, Trouble, std::less<>> kTroubles = {
    {"provider_unavailable", Trouble::Unavailable}, {"circuit_open", Trouble::CircuitOpen},
    {"capacity_exceeded", Trouble::Capacity},       {"provider_timeout", Trouble::Timeout},
    {"rate_limited", Trouble::RateLimited},         {"invalid_response", Trouble::InvalidResponse},
    {"provider_error", Trouble::Refused},
};

EmbeddingSpace space() { return embedding::make_space("fixture", "letters-v1", "Letters", 3); }

Result<EmbedResult> embed(const EmbedRequest& request) {
  EmbedResult result;
  result.space = space();
  result.queue_wait_ms = 0.25;
  result.service_time_ms = 1.5;
  for (const std::string& text : request.texts) {
    if (text.starts_with("fail ")) {
      const std::string word = text.substr(5);
      if (word == "internal") return internal_error("the secret inside");
      if (word == "empty") return result;
      return embedding::failure(kTroubles.at(word), "fixture", "as the test wants it");
    }
    result.embeddings.push_back(
        {{static_cast<float>(text.front()) / 128, static_cast<float>(text.size()),
          static_cast<float>(result.embeddings.size())}});
  }
  return result;
}

}  // namespace

void serve_embeddings(Host& host, const std::string& health) {
  const Result<void> embeds = host.bus().serve<Embed>(&embed);
  const Result<void> tells =
      host.bus().serve<EmbeddingHealth>([health](const Nothing&) -> Result<EmbeddingSpace> {
        if (health == "good") return space();
        if (health == "missing") return embedding::missing("fixture", "no table", "build it");
        return internal_error("the secret inside");
      });
  if (!embeds.ok() || !tells.ok()) throw std::runtime_error("the fixture cannot serve");
}

}  // namespace gantry::conformance
