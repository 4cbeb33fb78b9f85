// SPDX-License-Identifier: Apache-2.0
//
// One pocketsphinx decoder that looks for phrases.
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace gantry::wakeword {

struct Places {
  std::filesystem::path model;
  std::filesystem::path dictionary;
};

/// What is configured, else Debian's.
[[nodiscard]] Places places(const std::string& model_folder, const std::string& dictionary);
/// Errors: unavailable (names the package).
Result<void> check_places(const Places& places);

/// Not thread-safe; some 0.03 s of work a second of sound.
class Spotter {
 public:
  static constexpr std::int32_t kRate = 16'000;
  using Use = std::function<void(WakewordSpotted)>;

  /// Loads the model: some 50 ms and 20 MB. Errors: those of phrase_list() and dictionary_of(),
  /// unavailable.
  static Result<std::unique_ptr<Spotter>> create(std::vector<WakewordPhrase> phrases,
                                                 const Places& places);
  ~Spotter();
  Spotter(const Spotter&) = delete;
  Spotter& operator=(const Spotter&) = delete;

  /// Takes the next samples, and tells of phrases in what has come.
  Result<void> feed(std::span<const std::int16_t> samples, const Use& use);
  /// The sound has ended.
  void end(const Use& use);

 private:
  struct Decoder;
  Spotter(std::vector<WakewordPhrase> phrases, std::unique_ptr<Decoder> decoder);
  bool look(const Use& use);

  std::vector<WakewordPhrase> phrases_;
  std::unique_ptr<Decoder> decoder_;
  std::int64_t fed_ = 0;    // samples, since the beginning
  std::int64_t begun_ = 0;  // the sample that the decoder counts from
};

}  // namespace gantry::wakeword
