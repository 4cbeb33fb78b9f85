// SPDX-License-Identifier: Apache-2.0
#include <gantry/speech/resampler.hpp>

#include <samplerate.h>

#include <new>
#include <utility>

namespace gantry::speech {
namespace {

constexpr std::size_t kOutRoom = 4096;  // samples of one step

}  // namespace

struct Resampler::State {
  explicit State(SRC_STATE* raw) : src(raw, &src_delete) {}
  std::unique_ptr<SRC_STATE, SRC_STATE* (*)(SRC_STATE*)> src;
};

Resampler::Resampler(std::int32_t to) : to_(to) {}
Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;

std::vector<std::int16_t> Resampler::push(std::span<const std::int16_t> samples,
                                          std::int32_t from) {
  std::vector<std::int16_t> out;
  if (from != from_) {
    out = flush();
    from_ = from;
    state_.reset();
    if (from != to_) {
      int failure = 0;
      SRC_STATE* const raw = src_new(SRC_SINC_FASTEST, 1, &failure);
      if (raw == nullptr) throw std::bad_alloc();
      state_ = std::make_unique<State>(raw);
    }
  }
  if (state_ == nullptr) {
    out.insert(out.end(), samples.begin(), samples.end());
  } else {
    run(samples, false, out);
  }
  return out;
}

std::vector<std::int16_t> Resampler::flush() {
  std::vector<std::int16_t> out;
  if (state_ != nullptr) run({}, true, out);
  reset();
  return out;
}

void Resampler::reset() {
  if (state_ != nullptr) src_reset(state_->src.get());
}

void Resampler::run(std::span<const std::int16_t> samples, bool last,
                    std::vector<std::int16_t>& out) {
  std::vector<float> in(samples.size() + 1);  // never without an address
  src_short_to_float_array(samples.data(), in.data(), static_cast<int>(samples.size()));
  std::vector<float> room(kOutRoom);
  SRC_DATA step{};
  step.src_ratio = static_cast<double>(to_) / from_;
  step.end_of_input = last ? 1 : 0;
  step.data_in = in.data();
  step.input_frames = static_cast<long>(samples.size());
  step.data_out = room.data();
  step.output_frames = static_cast<long>(room.size());
  do {
    if (src_process(state_->src.get(), &step) != 0) break;
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(step.output_frames_gen));
    src_float_to_short_array(room.data(), out.data() + before,
                             static_cast<int>(step.output_frames_gen));
    step.data_in += step.input_frames_used;
    step.input_frames -= step.input_frames_used;
  } while (step.output_frames_gen > 0);
}

}  // namespace gantry::speech
