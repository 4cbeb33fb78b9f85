// SPDX-License-Identifier: Apache-2.0
#include <gantry/speech/endpointer.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace gantry::speech {
namespace {

constexpr std::size_t kFrame = kSpeechRate / 100;  // 10 ms
constexpr std::size_t kThin = 4;                   // the pitch is looked for at 4,000 a second
constexpr std::size_t kThinFrame = kFrame / kThin;
constexpr std::size_t kWindow = 4 * kThinFrame;  // 40 ms
constexpr std::size_t kShortest = 4000 / 400;    // lags of 400 Hz
constexpr std::size_t kLongest = 4000 / 70;      // and of 70 Hz
constexpr double kPitched = 0.55;                // of 1: how alike two periods are
constexpr double kUnlike = 0.35;
constexpr std::size_t kFirstLag = 2;
constexpr double kAbove = 9;         // dB over the noise
constexpr double kQuietest = -62;    // dB of full scale; below that nobody speaks
constexpr double kFirstFloor = -70;  // dB, until something was heard
constexpr int kSteadyFrames = 25;    // this long without a pitch it is noise
constexpr double kFallRate = 0.2;    // of the distance, a frame
constexpr double kNoiseRise = 0.25;  // dB a frame while it is noise
constexpr double kVoiceRise = 0.01;  // and while it may be speech

/// Takes out what lies below the voice: hum, rumble and a constant offset (one pole at 100 Hz).
class HighPass {
 public:
  double operator()(double in) {
    last_ = kPole * (last_ + in - before_);
    before_ = in;
    return last_;
  }

 private:
  static constexpr double kPole = 0.962;
  double last_ = 0;
  double before_ = 0;
};

class EnergyDetector final : public VoiceDetector {
 public:
  [[nodiscard]] std::size_t frame() const override { return kFrame; }

  [[nodiscard]] Voiced look(std::span<const std::int16_t> frame) override {
    const double level = take(frame);
    const bool loud = level > floor_ + kAbove && level > kQuietest;
    const bool pitched = level > kQuietest && pitch() > kPitched;
    without_pitch_ = pitched ? 0 : without_pitch_ + 1;
    follow(level, pitched);
    if (!loud) return Voiced::No;
    if (without_pitch_ > kSteadyFrames) return Voiced::No;
    return pitched ? Voiced::Yes : Voiced::Maybe;
  }

  void reset() override { *this = EnergyDetector(); }

 private:
  /// Keeps the frame for the pitch; its level in dB of full scale.
  double take(std::span<const std::int16_t> frame) {
    std::move(window_.begin() + kThinFrame, window_.end(), window_.begin());
    double energy = 0;
    double sum = 0;
    for (std::size_t i = 0; i < frame.size(); ++i) {
      const double sample = high_pass_(frame[i] / 32768.0);
      energy += sample * sample;
      sum += sample;
      if (i % kThin == kThin - 1) {
        window_[kWindow - kThinFrame + i / kThin] = sum / kThin;
        sum = 0;
      }
    }
    return 10 * std::log10(energy / static_cast<double>(frame.size()) + 1e-10);
  }

  /// How much the window is like itself one period earlier, 0 to 1. What only changes slowly is
  /// like itself at once: a period counts after it has been unlike.
  [[nodiscard]] double pitch() const {
    double best = 0;
    bool unlike = false;
    for (std::size_t lag = kFirstLag; lag <= kLongest; ++lag) {
      double product = 0;
      double first = 1e-12;
      double second = 1e-12;
      for (std::size_t i = lag; i < kWindow; ++i) {
        product += window_[i] * window_[i - lag];
        first += window_[i] * window_[i];
        second += window_[i - lag] * window_[i - lag];
      }
      const double like = product / std::sqrt(first * second);
      unlike = unlike || like < kUnlike;
      if (unlike && lag >= kShortest) best = std::max(best, like);
    }
    return best;
  }

  void follow(double level, bool pitched) {
    if (level < floor_) {
      floor_ += (level - floor_) * kFallRate;
      return;
    }
    const bool noise = !pitched && without_pitch_ > kSteadyFrames;
    floor_ = std::min(level, floor_ + (noise     ? kNoiseRise * 4
                                       : pitched ? kVoiceRise
                                                 : kNoiseRise / 4));
  }

  HighPass high_pass_;
  std::array<double, kWindow> window_{};
  double floor_ = kFirstFloor;
  int without_pitch_ = 0;
};

}  // namespace

std::unique_ptr<VoiceDetector> make_energy_detector() { return std::make_unique<EnergyDetector>(); }

}  // namespace gantry::speech
