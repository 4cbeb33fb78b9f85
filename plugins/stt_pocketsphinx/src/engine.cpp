// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <gantry/speech/endpointer.hpp>

#include <algorithm>
#include <utility>

#include "commands.hpp"
#include "letter_to_sound.hpp"
#include "pronunciations.hpp"

namespace gantry::stt_pocketsphinx {
namespace {

constexpr const char* kCommandRoute = "pocketsphinx, commands";
constexpr const char* kGeneralRoute = "pocketsphinx, en-us";

// The end of a part takes some 35 ms of a processor for a second of it with commands, and 5 ms with
// English. Most commands are shorter than a part.
constexpr std::size_t kCommandPart = std::size_t{5} * speech::kSpeechRate;
constexpr std::size_t kGeneralPart = std::size_t{20} * speech::kSpeechRate;

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(const EngineSettings& settings) {
  std::unique_ptr<Engine> engine(new Engine(settings));
  GANTRY_TRY(engine->load());
  return engine;
}

Result<void> Engine::load() {
  GANTRY_ASSIGN(const ModelFiles files, model_files(settings_.model_dir));
  dictionary_ = files.dictionary;
  if (settings_.commands || !settings_.general) {
    GANTRY_ASSIGN(auto decoder, Decoder::create(files, false));
    learner_ = decoder.get();
    commands_ = std::make_unique<PartedDecoder>(std::move(decoder), kCommandPart);
  }
  if (settings_.general) {
    GANTRY_ASSIGN(auto decoder, Decoder::create(files, true));
    general_ = std::make_unique<PartedDecoder>(std::move(decoder), kGeneralPart);
  }
  return {};
}

std::string Engine::route() const { return commands_ != nullptr ? kCommandRoute : kGeneralRoute; }

Result<void> Engine::prepare(const SpeechHints& hints) {
  if (!hints.language.empty() && !speech::same_language(hints.language, "en")) {
    return invalid_argument("the model here hears English, not '" + hints.language +
                            "'; set stt_pocketsphinx.model_dir to a model of that language, or "
                            "another provider");
  }
  if (commands_ == nullptr || (learned_ && hints.vocabulary == known_)) return {};
  return learn(hints.vocabulary);
}

Result<void> Engine::learn(const std::vector<std::string>& vocabulary) {
  CommandModel made = command_model(vocabulary);
  report_ = {made.phrases, 0, made.skipped};
  const std::vector<std::string> words = made.model.words();
  GANTRY_ASSIGN(Pronunciations said, pronunciations_of({words.begin(), words.end()}, dictionary_));
  for (const std::string& word : said.unknown) {
    const std::string phones = phones_of(word);
    if (phones.empty()) {
      ++report_.skipped;
      continue;
    }
    said.dictionary += word + ' ' + phones + '\n';
    ++report_.guessed;
  }
  GANTRY_TRY(learner_->set_commands(made.model.arpa(), said.dictionary));
  known_ = vocabulary;
  learned_ = true;
  return {};
}

Result<void> Engine::begin() {
  last_ = {};
  if (commands_ != nullptr) GANTRY_TRY(commands_->begin());
  if (general_ != nullptr) GANTRY_TRY(general_->begin());
  return {};
}

Result<void> Engine::sound(std::span<const std::int16_t> samples) {
  if (commands_ != nullptr) GANTRY_TRY(commands_->sound(samples));
  if (general_ != nullptr) GANTRY_TRY(general_->sound(samples));
  return {};
}

std::string Engine::text() { return commands_ != nullptr ? commands_->text() : general_->text(); }

Result<speech::Hypothesis> Engine::end() {
  if (commands_ != nullptr) {
    GANTRY_ASSIGN(last_.commands, commands_->end());
  }
  if (general_ != nullptr) {
    GANTRY_ASSIGN(last_.general, general_->end());
  }
  const bool command =
      commands_ != nullptr && !last_.commands.text.empty() &&
      (general_ == nullptr || last_.commands.acoustic + settings_.margin >= last_.general.acoustic);
  const Decoded& best = command ? last_.commands : last_.general;
  return speech::Hypothesis{best.text, best.posterior, command ? kCommandRoute : kGeneralRoute};
}

void Engine::drop() {
  if (commands_ != nullptr) commands_->drop();
  if (general_ != nullptr) general_->drop();
}

}  // namespace gantry::stt_pocketsphinx
