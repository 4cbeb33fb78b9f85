// SPDX-License-Identifier: Apache-2.0
// What speech recognition reads that others wrote: frames of clients, WAVE files, and what servers
// answer.
#include <gantry/speech/resampler.hpp>
#include <gantry/speech/wav.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stt_openai/src/realtime.hpp"
#include "stt_openai/src/upload.hpp"
#include "stt_proxy/src/gateway.hpp"
#include "transcription_ws/src/audio_frame.hpp"
#include "transcription_ws/src/control_frame.hpp"

namespace {

using namespace gantry;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_frame(std::string_view bytes) {
  using Kind = transcription_ws::AudioFrame::Kind;
  const auto frame = transcription_ws::read_audio_frame(bytes);
  require((frame.kind == Kind::Refused) == !frame.refusal.empty());
  if (frame.kind != Kind::Audio) return;
  require(!frame.samples.empty() && frame.samples.size() <= bytes.size());
  require(frame.rate >= speech::kLowestRate && frame.rate <= speech::kHighestRate);
}

void check_wav(std::string_view bytes) {
  const auto audio = speech::read_wav(bytes);
  if (!audio.ok()) return;
  require(speech::check_audio(*audio).ok());
  require(audio->samples.size() <= bytes.size() * 2);
  require(speech::read_wav(speech::write_wav(*audio)).ok());
}

template <class Dialect>
void check_answers(Dialect& dialect, std::string_view text) {
  speech::RemoteOut out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    dialect.hear({true, std::string(line)}, out);
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
  }
  for (const auto& event : out.tell) {
    require(event.kind != SpeechEventKind::Final || !event.text.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  check_frame(input);
  const auto control = transcription_ws::read_control_frame(input);
  require((control.kind == transcription_ws::ControlFrame::Kind::SetLanguage) ==
          !control.language.empty());
  check_wav(input);
  stt_openai::Realtime realtime({}, {});
  check_answers(realtime, input);
  stt_proxy::Gateway gateway("en");
  check_answers(gateway, input);
  (void)stt_openai::uploaded_text(200, std::string(input), "sk-spoken");
  (void)stt_openai::uploaded_text(400, std::string(input), "sk-spoken");
  return 0;
}
