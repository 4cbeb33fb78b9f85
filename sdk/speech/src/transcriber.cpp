// SPDX-License-Identifier: Apache-2.0
#include <gantry/outside_text.hpp>
#include <gantry/speech/transcriber.hpp>
#include <gantry/speech/wav.hpp>

#include <algorithm>
#include <utility>

namespace gantry::speech {
namespace {

constexpr std::int64_t kPartialEvery = kSpeechRate / 10;

std::int64_t to_ms(std::int64_t samples) { return samples * 1000 / kSpeechRate; }

/// Samples between two looks whether the sound is still wanted: engines take a part of that time.
std::size_t piece_of(std::int32_t rate) { return static_cast<std::size_t>(rate) / 5; }

}  // namespace

Transcriber::Transcriber(Recogniser& recogniser, std::unique_ptr<VoiceDetector> detector,
                         const Settings& settings, Tell tell)
    : recogniser_(recogniser),
      settings_(settings),
      tell_(std::move(tell)),
      to_engine_(recogniser.rate()),
      endpointer_(std::move(detector), settings.endpoint, *this) {}

Transcriber::~Transcriber() {
  if (endpointer_.inside()) recogniser_.drop();
}

Result<void> Transcriber::hints(const SpeechHints& hints) {
  if (!endpointer_.inside()) return recogniser_.prepare(hints);
  waiting_ = hints;
  return {};
}

/// Hints that came in the middle of an utterance.
void Transcriber::take_hints() {
  const auto hints = std::exchange(waiting_, std::nullopt);
  if (!hints) return;
  const auto taken = recogniser_.prepare(*hints);
  if (taken.ok()) return;
  SpeechEvent problem;
  problem.kind = SpeechEventKind::Problem;
  problem.text = taken.error().message;
  tell_(std::move(problem));
}

Result<void> Transcriber::sound(const Audio& audio, const std::function<bool()>& given_up) {
  GANTRY_TRY(check_audio(audio));
  const auto samples = samples_of(audio.samples);
  std::span<const std::int16_t> left(samples);
  while (!left.empty() && !failed_ && !given_up()) {
    const auto piece = left.first(std::min(left.size(), piece_of(audio.sample_rate)));
    left = left.subspan(piece.size());
    endpointer_.push(to_speech_.push(piece, audio.sample_rate));
    tell_partial();
  }
  return outcome();
}

Result<void> Transcriber::flush() {
  endpointer_.push(to_speech_.flush());
  endpointer_.flush();
  return outcome();
}

void Transcriber::reset() {
  to_speech_.reset();
  to_engine_.reset();
  if (endpointer_.inside()) recogniser_.drop();
  endpointer_.reset();
  take_hints();
}

Result<void> Transcriber::outcome() {
  if (failed_) return *failed_;
  return {};
}

void Transcriber::note(const Result<void>& result) {
  if (!result.ok() && !failed_) failed_ = result.error();
}

void Transcriber::begin(std::int64_t at_sample) {
  ++utterance_;
  begun_ = at_sample;
  since_partial_ = 0;
  shown_.clear();
  if (!failed_) note(recogniser_.begin());
}

void Transcriber::sound(std::span<const std::int16_t> samples) {
  since_partial_ += static_cast<std::int64_t>(samples.size());
  if (failed_) return;
  if (recogniser_.rate() == kSpeechRate) {
    note(recogniser_.sound(samples));
  } else {
    note(recogniser_.sound(to_engine_.push(samples, kSpeechRate)));
  }
}

void Transcriber::tell_partial() {
  if (!settings_.partials || failed_ || !endpointer_.inside() || since_partial_ < kPartialEvery) {
    return;
  }
  since_partial_ = 0;
  std::string text = strip_terminal_controls(recogniser_.text());
  if (text.empty() || text == shown_) return;
  shown_ = std::move(text);
  SpeechEvent event;
  event.text = shown_;
  event.utterance = std::to_string(utterance_);
  tell_(std::move(event));
}

void Transcriber::end(std::int64_t at_sample) {
  if (failed_) return;
  if (recogniser_.rate() != kSpeechRate) note(recogniser_.sound(to_engine_.flush()));
  auto heard = recogniser_.end();
  if (!heard.ok()) {
    failed_ = heard.error();
    return;
  }
  heard->text = strip_terminal_controls(heard->text);  // an engine may be a server
  SpeechEvent event;
  event.utterance = std::to_string(utterance_);
  if (!heard->text.empty()) {
    event.kind = SpeechEventKind::Final;
    event.text = heard->text;
    event.confidence = heard->confidence;
    event.begin_ms = to_ms(begun_);
    event.end_ms = to_ms(at_sample);
    event.route = heard->route;
    tell_(event);
  }
  SpeechEvent over;
  over.kind = SpeechEventKind::UtteranceEnd;
  over.utterance = event.utterance;
  tell_(std::move(over));
  take_hints();
}

}  // namespace gantry::speech
