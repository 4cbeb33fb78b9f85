// SPDX-License-Identifier: Apache-2.0
#include <gantry/silero/detector.hpp>

#include <algorithm>
#include <utility>

namespace gantry::silero {

Result<std::unique_ptr<Detector>> Detector::open(const std::filesystem::path& models_dir,
                                                 const Thresholds& thresholds) {
  // A frame is too little work for a second thread.
  GANTRY_ASSIGN(auto model, onnx::Session::open(models_dir, "silero/vad.onnx", {1}));
  return std::make_unique<Detector>(std::move(model), thresholds);
}

Detector::Detector(std::shared_ptr<onnx::Session> model, const Thresholds& thresholds)
    : model_(std::move(model)), thresholds_(thresholds) {}

void Detector::reset() {
  sound_.fill(0);
  state_.fill(0);
  probability_ = 0;
}

speech::Voiced Detector::look(std::span<const std::int16_t> frame) {
  std::copy(sound_.end() - kContext, sound_.end(), sound_.begin());
  const std::size_t count = std::min(frame.size(), kFrame);
  const auto end = std::transform(
      frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(count), sound_.begin() + kContext,
      [](std::int16_t sample) { return static_cast<float>(sample) / 32768.0F; });
  std::fill(end, sound_.end(), 0.0F);
  const std::array<std::int64_t, 1> rate{speech::kSpeechRate};
  const auto size = static_cast<std::int64_t>(sound_.size());
  auto out = model_->run({{"input", {1, size}, std::span<const float>(sound_)},
                          {"state", {2, 1, 128}, std::span<const float>(state_)},
                          {"sr", {}, std::span<const std::int64_t>(rate)}},
                         {"output", "stateN"});
  probability_ = 0;
  if (!out.ok() || (*out)[0].floats().size() != 1 || (*out)[1].floats().size() != kState) {
    return speech::Voiced::No;
  }
  probability_ = (*out)[0].floats()[0];
  std::copy((*out)[1].floats().begin(), (*out)[1].floats().end(), state_.begin());
  if (probability_ >= thresholds_.speech) return speech::Voiced::Yes;
  return probability_ >= thresholds_.maybe ? speech::Voiced::Maybe : speech::Voiced::No;
}

}  // namespace gantry::silero
