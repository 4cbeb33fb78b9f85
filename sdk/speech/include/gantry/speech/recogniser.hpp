// SPDX-License-Identifier: Apache-2.0
//
// What an engine does; the service around it (service.hpp) does the rest. Every member may wait and
// is called by one thread at a time.
#pragma once

#include <gantry/contracts/speech.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gantry::speech {

struct Hypothesis {
  std::string text;       // empty: no word was understood
  double confidence = 0;  // 0 to 1; 0: not known
  std::string route;      // what understood it
};

/// Whether both tags ("en", "en-US", "EN_gb") name the same language, wherever it is spoken.
[[nodiscard]] bool same_language(std::string_view one, std::string_view other);

class Recogniser {
 public:
  Recogniser() = default;
  virtual ~Recogniser() = default;
  Recogniser(const Recogniser&) = delete;
  Recogniser& operator=(const Recogniser&) = delete;

  /// Samples a second that it takes.
  [[nodiscard]] virtual std::int32_t rate() const = 0;
  [[nodiscard]] virtual std::string route() const = 0;
  /// Count from the next utterance on. Errors: invalid_argument (no such language), unavailable.
  [[nodiscard]] virtual Result<void> prepare(const SpeechHints& hints) = 0;
  /// An utterance: begin, sound of it, and end or drop. text() is what was understood so far.
  [[nodiscard]] virtual Result<void> begin() = 0;
  [[nodiscard]] virtual Result<void> sound(std::span<const std::int16_t> samples) = 0;
  [[nodiscard]] virtual std::string text() = 0;
  [[nodiscard]] virtual Result<Hypothesis> end() = 0;
  virtual void drop() = 0;
};

}  // namespace gantry::speech
