// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <cstring>
#include <utility>

namespace gantry::vad_silero {
namespace {

constexpr std::size_t kMostWaiting = 1000;  // events; a receiver that takes none hears no more

std::int64_t ms_of(std::int64_t samples) { return samples * 1000 / speech::kSpeechRate; }

/// Why a piece cannot be listened to; empty when it can.
std::string problem_of(const Audio& audio) {
  if (audio.channels != 1) {
    return "one channel is needed, found " + std::to_string(audio.channels);
  }
  if (audio.sample_rate < speech::kLowestRate || audio.sample_rate > speech::kHighestRate) {
    return "8000 to 48000 samples a second are needed, found " + std::to_string(audio.sample_rate);
  }
  if (audio.samples.size() % 2 != 0) return "samples have two bytes, but their number is odd";
  return {};
}

}  // namespace

Session::Session(Stream<VadEvent> down, std::unique_ptr<speech::VoiceDetector> detector,
                 const speech::EndpointSettings& settings, std::string route)
    : down_(std::move(down)), endpointer_(std::move(detector), settings, *this) {
  tell({VadEventKind::Ready, 0, std::move(route), {}});
}

void Session::take(const VadInput& input) {
  const Audio& audio = input.audio;
  if (!audio.samples.empty()) {
    if (std::string problem = problem_of(audio); !problem.empty()) {
      tell({VadEventKind::Problem, 0, {}, std::move(problem)});
    } else {
      std::vector<std::int16_t> samples(audio.samples.size() / 2);
      std::memcpy(samples.data(), audio.samples.data(), audio.samples.size());
      endpointer_.push(resampler_.push(samples, audio.sample_rate));
    }
  }
  if (!input.flush) return;
  endpointer_.push(resampler_.flush());
  endpointer_.flush();
  tell({VadEventKind::Flushed, 0, {}, {}});
}

void Session::begin(std::int64_t at_sample) {
  tell({VadEventKind::Begin, ms_of(at_sample), {}, {}});
}

void Session::end(std::int64_t at_sample) { tell({VadEventKind::End, ms_of(at_sample), {}, {}}); }

void Session::tell(VadEvent event) {
  if (waiting_.size() < kMostWaiting) waiting_.push_back(std::move(event));
  send_waiting();
}

void Session::send_waiting() {
  while (!waiting_.empty()) {
    const auto sent = down_.send(waiting_.front());
    if (!sent.ok() && sent.error().code == Code::ResourceExhausted) return;
    waiting_.pop_front();
  }
}

}  // namespace gantry::vad_silero
