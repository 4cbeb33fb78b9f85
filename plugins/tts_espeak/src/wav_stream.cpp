// SPDX-License-Identifier: Apache-2.0
#include "wav_stream.hpp"

#include <utility>

namespace gantry::tts_espeak {
namespace {

constexpr std::size_t kRiff = 12;        // bytes in front of the first part
constexpr std::size_t kPart = 8;         // bytes of a part's name and size
constexpr std::size_t kFormat = 16;      // bytes of the form that are needed
constexpr std::size_t kMostHead = 4096;  // of all parts before the sound
constexpr std::uint32_t kPcm = 1;

std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t out = 0;
  for (std::size_t i = size; i > 0; --i) {
    out = (out << 8U) | static_cast<std::uint8_t>(bytes[at + i - 1]);
  }
  return out;
}

Error no_wav(const char* why) {
  return {Code::DataLoss, std::string("the program wrote no WAVE file: ") + why, {}};
}

}  // namespace

/// Reads parts up to the sound; false while bytes are missing.
Result<bool> WavStream::read_head() {
  if (!riff_) {
    if (bytes_.size() < kRiff) return false;
    const std::string_view head = bytes_;
    if (!head.starts_with("RIFF") || head.substr(8, 4) != "WAVE")
      return no_wav("no RIFF at its begin");
    bytes_.erase(0, kRiff);
    riff_ = true;
  }
  while (bytes_.size() >= kPart) {
    const std::string name = bytes_.substr(0, 4);
    const std::size_t size = number(bytes_, 4, 4);
    if (name == "data") {
      if (rate_ == 0) return no_wav("the sound comes before its form");
      bytes_.erase(0, kPart);
      data_ = true;
      return true;
    }
    if (size > kMostHead) return no_wav("a part is too large");
    if (bytes_.size() < kPart + size) return false;
    if (name == "fmt ") {
      if (size < kFormat) return no_wav("its form is too short");
      const bool fits =
          number(bytes_, 8, 2) == kPcm && number(bytes_, 10, 2) == 1 && number(bytes_, 22, 2) == 16;
      const std::uint32_t rate = number(bytes_, 12, 4);
      if (!fits || rate < 8000 || rate > 48'000) return no_wav("not PCM of 16 bits, one channel");
      rate_ = static_cast<std::int32_t>(rate);
    }
    bytes_.erase(0, kPart + size);
  }
  return false;
}

Result<std::vector<std::int16_t>> WavStream::feed(std::string_view bytes) {
  std::vector<std::int16_t> out;
  bytes_ += bytes;
  if (!data_) {
    GANTRY_ASSIGN(const bool there, read_head());
    if (!there) return out;
  }
  const std::size_t whole = bytes_.size() / 2;
  out.reserve(whole);
  for (std::size_t i = 0; i < whole; ++i) {
    out.push_back(static_cast<std::int16_t>(number(bytes_, 2 * i, 2)));
  }
  bytes_.erase(0, 2 * whole);
  return out;
}

}  // namespace gantry::tts_espeak
