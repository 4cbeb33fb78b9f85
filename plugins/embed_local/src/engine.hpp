// SPDX-License-Identifier: Apache-2.0
//
// What makes the vectors. Opening and embedding wait: both belong to Host::blocking.
#pragma once

#include <gantry/contracts/embedding.hpp>
#include <gantry/time.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::embed_local {

/// Thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual const EmbeddingSpace& space() const = 0;
  /// One vector for each text; asks now and then whether to go on. Errors: cancelled, internal.
  [[nodiscard]] virtual Result<std::vector<EmbeddingVector>> embed(
      const std::vector<std::string>& texts, const std::function<bool()>& cancelled) const = 0;
};

/// The one that the settings ask for: the sentence model when it is named, else the word table.
/// Errors: unavailable, with an EmbeddingFailure and the cure.
[[nodiscard]] Result<std::shared_ptr<const Engine>> open_engine(const Settings& settings);

/// The same without opening anything: whether the files are there.
[[nodiscard]] Result<void> probe_engine(const Settings& settings);

/// engine_lsa.cpp
[[nodiscard]] Result<std::shared_ptr<const Engine>> open_lsa(const Settings& settings);
/// engine_sentence.cpp
[[nodiscard]] Result<std::shared_ptr<const Engine>> open_sentence_model(const Settings& settings);

}  // namespace gantry::embed_local
