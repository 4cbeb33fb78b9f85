// SPDX-License-Identifier: Apache-2.0
//
// A WAVE file that is read while it is written. Pure; one thread at a time.
#pragma once

#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::tts_espeak {

/// Takes PCM of 16 bits and one channel; the sizes that a writer on a pipe cannot know count for
/// nothing.
class WavStream {
 public:
  /// The samples that these bytes complete. Errors: data_loss (no such file).
  Result<std::vector<std::int16_t>> feed(std::string_view bytes);
  /// Samples a second; 0 while that is not known.
  [[nodiscard]] std::int32_t sample_rate() const { return rate_; }

 private:
  Result<bool> read_head();

  std::string bytes_;      // not yet read
  std::int32_t rate_ = 0;  // set: the head is read
  bool riff_ = false;
  bool data_ = false;
};

}  // namespace gantry::tts_espeak
