// SPDX-License-Identifier: Apache-2.0
//
// Where an utterance begins and where it ends. A detector says of each short frame whether it is
// speech; the endpointer makes utterances of that. 16,000 samples a second. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace gantry::speech {

inline constexpr std::int32_t kSpeechRate = 16000;

/// What a detector says of a frame. Maybe keeps an utterance going and does not begin one.
enum class Voiced : std::uint8_t { No, Maybe, Yes };

class VoiceDetector {
 public:
  virtual ~VoiceDetector() = default;
  /// Samples of one frame.
  [[nodiscard]] virtual std::size_t frame() const = 0;
  [[nodiscard]] virtual Voiced look(std::span<const std::int16_t> frame) = 0;
  virtual void reset() = 0;
};

/// Speech is louder than the noise around it, whose level is followed, and has a pitch. Steady
/// noise, clicks and hiss have none and begin no utterance.
[[nodiscard]] std::unique_ptr<VoiceDetector> make_energy_detector();

struct EndpointSettings {
  std::int32_t silence_ms = 500;     // pause that ends an utterance
  std::int32_t padding_ms = 300;     // sound before its begin that belongs to it
  std::int32_t voice_ms = 50;        // voiced sound without which nothing begins
  std::int32_t longest_ms = 30'000;  // an utterance that goes on longer is cut
};

class Endpointer {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void begin(std::int64_t at_sample) = 0;
    virtual void sound(std::span<const std::int16_t> samples) = 0;
    virtual void end(std::int64_t at_sample) = 0;
  };

  Endpointer(std::unique_ptr<VoiceDetector> detector, EndpointSettings settings, Sink& sink);

  void push(std::span<const std::int16_t> samples);
  /// Ends the utterance that is under way.
  void flush();
  /// Forgets it: no end is told.
  void reset();
  [[nodiscard]] bool inside() const { return inside_; }
  void set_silence(std::int32_t silence_ms) { settings_.silence_ms = silence_ms; }

 private:
  void take_frame(std::span<const std::int16_t> frame);
  void outside(std::span<const std::int16_t> frame, Voiced voiced);
  [[nodiscard]] std::int64_t samples_in(std::int32_t ms) const;

  std::unique_ptr<VoiceDetector> detector_;
  EndpointSettings settings_;
  Sink& sink_;
  std::vector<std::int16_t> rest_;   // less than a frame
  std::deque<std::int16_t> before_;  // what may become the padding
  std::deque<Voiced> recent_;        // of the last frames outside of an utterance
  std::int64_t position_ = 0;        // of the next frame, from the first sample
  std::int64_t begun_ = 0;
  std::int64_t last_voiced_ = 0;
  bool inside_ = false;
};

}  // namespace gantry::speech
