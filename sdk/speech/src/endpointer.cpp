// SPDX-License-Identifier: Apache-2.0
#include <gantry/speech/endpointer.hpp>

#include <algorithm>
#include <utility>

namespace gantry::speech {
namespace {

constexpr std::int64_t kOnset = kSpeechRate * 3 / 10;  // within these samples an utterance begins
constexpr std::int64_t kLeastSound = kSpeechRate * 8 / 100;  // of them, loud ones

}  // namespace

Endpointer::Endpointer(std::unique_ptr<VoiceDetector> detector, EndpointSettings settings,
                       Sink& sink)
    : detector_(std::move(detector)), settings_(settings), sink_(sink) {}

std::int64_t Endpointer::samples_in(std::int32_t ms) const {
  return std::int64_t{ms} * kSpeechRate / 1000;
}

void Endpointer::push(std::span<const std::int16_t> samples) {
  const std::size_t size = detector_->frame();
  rest_.insert(rest_.end(), samples.begin(), samples.end());
  std::size_t at = 0;
  for (; rest_.size() - at >= size; at += size) take_frame(std::span(rest_).subspan(at, size));
  rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(at));
}

void Endpointer::take_frame(std::span<const std::int16_t> frame) {
  const Voiced voiced = detector_->look(frame);
  const auto size = static_cast<std::int64_t>(frame.size());
  if (!inside_) {
    outside(frame, voiced);
    position_ += size;
    return;
  }
  sink_.sound(frame);
  position_ += size;
  if (voiced != Voiced::No) last_voiced_ = position_;
  const bool silent = position_ - last_voiced_ >= samples_in(settings_.silence_ms);
  if (silent || position_ - begun_ >= samples_in(settings_.longest_ms)) flush();
}

void Endpointer::outside(std::span<const std::int16_t> frame, Voiced voiced) {
  const auto size = static_cast<std::int64_t>(frame.size());
  before_.insert(before_.end(), frame.begin(), frame.end());
  const auto kept = static_cast<std::size_t>(samples_in(settings_.padding_ms) + kOnset);
  if (before_.size() > kept) {
    before_.erase(before_.begin(),
                  before_.begin() + static_cast<std::ptrdiff_t>(before_.size() - kept));
  }
  recent_.push_back(voiced);
  while (static_cast<std::int64_t>(recent_.size()) * size > kOnset) recent_.pop_front();
  if (voiced == Voiced::No) return;
  const auto loud =
      std::count_if(recent_.begin(), recent_.end(), [](Voiced one) { return one != Voiced::No; });
  const auto pitched = std::count(recent_.begin(), recent_.end(), Voiced::Yes);
  if (loud * size < kLeastSound || pitched * size < samples_in(settings_.voice_ms)) return;
  inside_ = true;
  const std::vector<std::int16_t> sound(before_.begin(), before_.end());
  last_voiced_ = position_ + size;
  begun_ = last_voiced_ - static_cast<std::int64_t>(sound.size());
  before_.clear();
  recent_.clear();
  sink_.begin(begun_);
  sink_.sound(sound);
}

void Endpointer::flush() {
  recent_.clear();
  if (!std::exchange(inside_, false)) return;
  sink_.end(position_);
}

void Endpointer::reset() {
  inside_ = false;
  rest_.clear();
  before_.clear();
  recent_.clear();
}

}  // namespace gantry::speech
