// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two decoders listen at the same time: one that knows commands and the names on the screen, and
// one that knows English. Which of them is believed follows from the sound: what commands explain
// as well as anything else is a command.

#include <gantry/speech/recogniser.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "decoder.hpp"
#include "parted_decoder.hpp"

namespace gantry::stt_pocketsphinx {

struct EngineSettings {
  std::filesystem::path model_dir;
  bool commands = true;  // the decoder of commands
  bool general = true;   // the decoder of English
  double margin = 0.25;  // log-likelihood of a frame that commands may be worse by
};

/// What the vocabulary of an engine came to.
struct VocabularyReport {
  std::size_t phrases = 0;
  std::size_t guessed = 0;  // words whose sound was guessed from their letters
  std::size_t skipped = 0;  // words that cannot be said
};

class Engine final : public speech::Recogniser {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(const EngineSettings& settings);

  [[nodiscard]] std::int32_t rate() const override { return 16000; }
  [[nodiscard]] std::string route() const override;
  [[nodiscard]] Result<void> prepare(const SpeechHints& hints) override;
  [[nodiscard]] Result<void> begin() override;
  [[nodiscard]] Result<void> sound(std::span<const std::int16_t> samples) override;
  [[nodiscard]] std::string text() override;
  [[nodiscard]] Result<speech::Hypothesis> end() override;
  void drop() override;

  [[nodiscard]] const VocabularyReport& vocabulary() const { return report_; }
  /// Both readings of the last utterance, for the bench.
  struct Last {
    Decoded commands;
    Decoded general;
  };
  [[nodiscard]] const Last& last() const { return last_; }

 private:
  explicit Engine(EngineSettings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> learn(const std::vector<std::string>& vocabulary);

  EngineSettings settings_;
  std::filesystem::path dictionary_;
  Decoder* learner_ = nullptr;  // the one in commands_
  std::unique_ptr<PartedDecoder> commands_;
  std::unique_ptr<PartedDecoder> general_;
  std::vector<std::string> known_;  // the vocabulary that the commands were made of
  bool learned_ = false;
  VocabularyReport report_;
  Last last_;
};

}  // namespace gantry::stt_pocketsphinx
