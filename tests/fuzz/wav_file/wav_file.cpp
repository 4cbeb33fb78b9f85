// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of a WAVE file: refused with a reason, or sound of a rate that is allowed,
// with no more samples than there are bytes for, which is written and read again as it was.
#include <gantry/speech/wav.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto audio = gantry::speech::read_wav(bytes);
  if (!audio.ok()) {
    if (audio.error().message.empty()) std::abort();
    return 0;
  }
  if (audio->channels != 1 || audio->sample_rate < 8000 || audio->sample_rate > 48000) std::abort();
  if (gantry::speech::samples_of(audio->samples).size() > size) std::abort();
  const auto again = gantry::speech::read_wav(gantry::speech::write_wav(*audio));
  const bool empty = audio->samples.size() == 0;
  if (!empty && (!again.ok() || again->samples.text() != audio->samples.text())) std::abort();
  return 0;
}
