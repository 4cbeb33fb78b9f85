// SPDX-License-Identifier: Apache-2.0
#include "listener.hpp"

#include <gantry/speech/wav.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace gantry::wakeword {
namespace {

constexpr std::int32_t kMostChannels = 2;

/// The mean of both channels.
std::vector<std::int16_t> one_channel(const Audio& audio) {
  std::vector<std::int16_t> samples = speech::samples_of(audio.samples);
  if (audio.channels == 1) return samples;
  for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
    samples[i / 2] = static_cast<std::int16_t>((samples[i] + samples[i + 1]) / 2);
  }
  samples.resize(samples.size() / 2);
  return samples;
}

Result<void> check_form(const Audio& audio, const Audio& first) {
  if (audio.channels < 1 || audio.channels > kMostChannels) {
    return invalid_argument(
        fmt::format("the sound has {} channels; it may have one or two", audio.channels));
  }
  if (audio.sample_rate < speech::kLowestRate || audio.sample_rate > speech::kHighestRate) {
    return invalid_argument(fmt::format("the sound has {} samples a second; it may have {} to {}",
                                        audio.sample_rate, speech::kLowestRate,
                                        speech::kHighestRate));
  }
  if (audio.samples.size() % (2 * static_cast<std::size_t>(audio.channels)) != 0) {
    return invalid_argument("the sound ends within a sample; samples have two bytes a channel");
  }
  if (audio.sample_rate != first.sample_rate || audio.channels != first.channels) {
    return invalid_argument("the form of the sound changes within the stream");
  }
  return {};
}

}  // namespace

Working::Place::Place(std::shared_ptr<Working> working) {
  {
    const std::lock_guard lock(working->mutex);
    ++working->open;
  }
  held_ = {nullptr, [working = std::move(working)](std::nullptr_t) {
             const std::lock_guard lock(working->mutex);
             if (--working->open == 0) working->none.notify_all();
           }};
}

Result<std::vector<WakewordSpotted>> find_phrases(const Audio& audio,
                                                  std::vector<WakewordPhrase> phrases,
                                                  const Places& places) {
  if (audio.samples.empty()) return invalid_argument("there is no sound to look at");
  GANTRY_TRY(check_form(audio, audio));
  GANTRY_ASSIGN(const auto spotter, Spotter::create(std::move(phrases), places));
  std::vector<WakewordSpotted> found;
  const auto keep = [&found](WakewordSpotted one) { found.push_back(std::move(one)); };
  speech::Resampler resampler(Spotter::kRate);
  GANTRY_TRY(spotter->feed(resampler.push(one_channel(audio), audio.sample_rate), keep));
  GANTRY_TRY(spotter->feed(resampler.flush(), keep));
  spotter->end(keep);
  return found;
}

Listener::Listener(Host& host, std::shared_ptr<Working> working,
                   std::vector<WakewordPhrase> phrases, Places places, Stream<WakewordSpotted> down,
                   std::function<void()> over)
    : host_(host),
      working_(std::move(working)),
      phrases_(std::move(phrases)),
      places_(std::move(places)),
      down_(std::move(down)),
      when_over_(std::move(over)) {}

void Listener::start(const Ref<WakewordAudio>& audio) {
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    if (audio) waiting_.push_back(audio);
    if (std::exchange(running_, true)) return;
  }
  const Working::Place place(working_);
  host_.blocking([self = shared_from_this(), place] { self->run(); });
}

void Listener::run() {
  std::optional<Error> failed;
  if (!spotter_) {
    auto made = Spotter::create(std::move(phrases_), places_);
    if (made.ok()) {
      spotter_ = std::move(*made);
    } else {
      failed = made.error();
    }
  }
  while (!failed) {
    Ref<WakewordAudio> audio;
    {
      const std::lock_guard lock(mutex_);
      if (over_ || waiting_.empty()) {
        running_ = false;
        break;
      }
      audio = std::move(waiting_.front());
      waiting_.pop_front();
    }
    if (const auto heard = hear(*audio); !heard.ok()) failed = heard.error();
    down_.grant(1);
    if (!failed && audio->end) {
      close(std::nullopt);
      break;
    }
  }
  if (failed) close(failed);
}

Result<void> Listener::hear(const WakewordAudio& piece) {
  const auto tell = [this](WakewordSpotted spotted) { (void)down_.send(std::move(spotted)); };
  if (!piece.audio.samples.empty()) {
    if (!form_) form_ = Audio{piece.audio.sample_rate, piece.audio.channels, {}};
    GANTRY_TRY(check_form(piece.audio, *form_));
    GANTRY_TRY(
        spotter_->feed(resampler_.push(one_channel(piece.audio), piece.audio.sample_rate), tell));
  }
  if (!piece.end) return {};
  GANTRY_TRY(spotter_->feed(resampler_.flush(), tell));
  spotter_->end(tell);
  return {};
}

void Listener::close(const std::optional<Error>& error) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    if (std::exchange(over_, true)) return;
  }
  if (error) {
    down_.close(*error);
  } else {
    down_.close();
  }
  host_.post(when_over_);
}

void Listener::cancel(const std::optional<Error>& error) { close(error); }

}  // namespace gantry::wakeword
