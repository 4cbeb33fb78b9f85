// SPDX-License-Identifier: Apache-2.0
//
// One stream of sound.
#pragma once

#include <gantry/contracts/vad.hpp>
#include <gantry/speech/endpointer.hpp>
#include <gantry/speech/resampler.hpp>
#include <gantry/stream.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace gantry::vad_silero {

/// All on the plugin's thread.
class Session final : private speech::Endpointer::Sink {
 public:
  Session(Stream<VadEvent> down, std::unique_ptr<speech::VoiceDetector> detector,
          const speech::EndpointSettings& settings, std::string route);

  void take(const VadInput& input);
  /// Sends what had no room before.
  void send_waiting();

 private:
  void begin(std::int64_t at_sample) override;
  void sound(std::span<const std::int16_t>) override {}
  void end(std::int64_t at_sample) override;
  void tell(VadEvent event);

  Stream<VadEvent> down_;
  speech::Resampler resampler_{speech::kSpeechRate};
  speech::Endpointer endpointer_;
  std::deque<VadEvent> waiting_;
};

}  // namespace gantry::vad_silero
