// SPDX-License-Identifier: Apache-2.0
#pragma once
// A binary frame: the length of its metadata as four bytes, little-endian; the metadata as JSON;
// then samples. Pure functions.

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::transcription_ws {

/// What the deployed provider takes; sound at this rate passes as a stream of bytes.
inline constexpr std::int32_t kPassingRate = 24000;

struct AudioFrame {
  /// Ignored frames are answered with nothing, refused ones with an error.
  enum class Kind : std::uint8_t { Audio, Ignored, Refused };
  Kind kind = Kind::Ignored;
  std::int32_t rate = 16000;
  std::string_view samples;  // of the frame's bytes
  std::string refusal;
};

[[nodiscard]] AudioFrame read_audio_frame(std::string_view bytes);

}  // namespace gantry::transcription_ws
