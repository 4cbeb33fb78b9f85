// SPDX-License-Identifier: Apache-2.0
//
// Sound of any rate in, events out: finds utterances and has an engine recognise them. No clock, no
// threads of its own. One thread at a time.
#pragma once

#include <gantry/contracts/speech.hpp>
#include <gantry/result.hpp>
#include <gantry/speech/endpointer.hpp>
#include <gantry/speech/recogniser.hpp>
#include <gantry/speech/resampler.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gantry::speech {

class Transcriber : private Endpointer::Sink {
 public:
  using Tell = std::function<void(SpeechEvent)>;

  struct Settings {
    EndpointSettings endpoint;
    bool partials = true;
  };

  Transcriber(Recogniser& recogniser, std::unique_ptr<VoiceDetector> detector,
              const Settings& settings, Tell tell);
  ~Transcriber() override;

  /// Errors: those of the engine; in the middle of an utterance they are told later as a Problem.
  [[nodiscard]] Result<void> hints(const SpeechHints& hints);
  /// Looks between two fifths of a second whether `given_up`; then the rest is not heard.
  /// Errors: those of the engine; the transcriber is of no use then.
  [[nodiscard]] Result<void> sound(
      const Audio& audio, const std::function<bool()>& given_up = [] { return false; });
  [[nodiscard]] Result<void> flush();
  void reset();

 private:
  void begin(std::int64_t at_sample) override;
  void sound(std::span<const std::int16_t> samples) override;
  void end(std::int64_t at_sample) override;
  void tell_partial();
  void take_hints();
  void note(const Result<void>& result);
  [[nodiscard]] Result<void> outcome();

  Recogniser& recogniser_;
  Settings settings_;
  Tell tell_;
  Resampler to_speech_{kSpeechRate};
  Resampler to_engine_;
  Endpointer endpointer_;
  std::optional<SpeechHints> waiting_;  // for the end of the utterance
  std::optional<Error> failed_;
  std::string shown_;
  std::uint64_t utterance_ = 0;
  std::int64_t begun_ = 0;
  std::int64_t since_partial_ = 0;  // samples
};

}  // namespace gantry::speech
