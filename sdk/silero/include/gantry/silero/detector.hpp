// SPDX-License-Identifier: Apache-2.0
//
// Silero VAD v5: speech or not, by a small network. In place of speech::make_energy_detector():
//
//   auto made = silero::Detector::open(models_dir);             // some 30 ms the first time
//   auto detector = made.ok() ? std::move(*made) : speech::make_energy_detector();
#pragma once

#include <gantry/onnx/onnx.hpp>
#include <gantry/result.hpp>
#include <gantry/speech/endpointer.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace gantry::silero {

inline constexpr std::size_t kFrame = 512;   // samples, 32 ms
inline constexpr std::size_t kContext = 64;  // samples before them that it sees too

struct Thresholds {
  float speech = 0.5F;  // from here on it is speech
  float maybe = 0.35F;  // and from here on it may go on
};

class Detector final : public speech::VoiceDetector {
 public:
  /// Errors: unavailable (ONNX Runtime or the model is missing; says how to get it).
  static Result<std::unique_ptr<Detector>> open(const std::filesystem::path& models_dir,
                                                const Thresholds& thresholds = {});
  /// With a model that is open; detectors may share one.
  explicit Detector(std::shared_ptr<onnx::Session> model, const Thresholds& thresholds = {});

  [[nodiscard]] std::size_t frame() const override { return kFrame; }
  [[nodiscard]] speech::Voiced look(std::span<const std::int16_t> frame) override;
  void reset() override;

  /// Of the last frame, 0 to 1. A run that failed counts as silence.
  [[nodiscard]] float probability() const { return probability_; }

 private:
  static constexpr std::size_t kState = 2 * 128;

  std::shared_ptr<onnx::Session> model_;
  Thresholds thresholds_;
  std::array<float, kContext + kFrame> sound_{};  // the last frame and what was before it
  std::array<float, kState> state_{};
  float probability_ = 0;
};

}  // namespace gantry::silero
