// SPDX-License-Identifier: Apache-2.0
#include <gantry/speech/resampler.hpp>
#include <gantry/speech/wav.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace gantry::speech {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are little-endian");

constexpr std::uint16_t kPcm = 1;
constexpr std::uint16_t kFloat = 3;
constexpr std::uint16_t kExtensible = 0xFFFE;
constexpr std::size_t kChunkHead = 8;
constexpr std::uint16_t kMostChannels = 32;

std::uint32_t little(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
  }
  return out;
}

struct Form {
  std::uint16_t code = 0;
  std::uint16_t channels = 0;
  std::uint32_t rate = 0;
  std::uint16_t bits = 0;

  [[nodiscard]] std::size_t sample_bytes() const { return bits / 8U; }
  [[nodiscard]] std::size_t frame_bytes() const { return sample_bytes() * channels; }
};

Result<Form> read_form(std::string_view chunk) {
  if (chunk.size() < 16) return invalid_argument("the WAVE file's format chunk is cut off");
  Form form;
  form.code = static_cast<std::uint16_t>(little(chunk, 0, 2));
  form.channels = static_cast<std::uint16_t>(little(chunk, 2, 2));
  form.rate = little(chunk, 4, 4);
  form.bits = static_cast<std::uint16_t>(little(chunk, 14, 2));
  if (form.code == kExtensible && chunk.size() >= 26) {
    form.code = static_cast<std::uint16_t>(little(chunk, 24, 2));
  }
  const bool pcm = form.code == kPcm &&
                   (form.bits == 8 || form.bits == 16 || form.bits == 24 || form.bits == 32);
  const bool floating = form.code == kFloat && form.bits == 32;
  if (!pcm && !floating) {
    return invalid_argument("the WAVE file has format " + std::to_string(form.code) + " with " +
                            std::to_string(form.bits) +
                            " bits; PCM of 8, 16, 24 or 32 bits and 32-bit floats can be read");
  }
  if (form.channels == 0 || form.channels > kMostChannels) {
    return invalid_argument("the WAVE file claims " + std::to_string(form.channels) + " channels");
  }
  return form;
}

/// One sample, -1 to 1.
float sample_at(std::string_view data, std::size_t at, const Form& form) {
  if (form.code == kFloat) {
    const auto value = std::bit_cast<float>(little(data, at, 4));
    return std::isfinite(value) ? std::clamp(value, -1.0F, 1.0F) : 0.0F;
  }
  if (form.bits == 8) {
    return (static_cast<float>(static_cast<std::uint8_t>(data[at])) - 128.0F) / 128.0F;
  }
  const std::uint32_t raw = little(data, at, form.sample_bytes()) << (32U - form.bits);
  return static_cast<float>(static_cast<std::int32_t>(raw)) / 2147483648.0F;
}

std::vector<std::int16_t> mixed_down(std::string_view data, const Form& form) {
  std::vector<std::int16_t> out(data.size() / form.frame_bytes());
  if (form.code == kPcm && form.bits == 16 && form.channels == 1) {
    if (!out.empty()) std::memcpy(out.data(), data.data(), out.size() * 2);
    return out;
  }
  std::size_t at = 0;
  for (std::int16_t& sample : out) {
    float sum = 0;
    for (std::uint16_t i = 0; i < form.channels; ++i, at += form.sample_bytes()) {
      sum += sample_at(data, at, form);
    }
    const float scaled = std::round(sum / static_cast<float>(form.channels) * 32768.0F);
    sample = static_cast<std::int16_t>(std::clamp(scaled, -32768.0F, 32767.0F));
  }
  return out;
}

void put(std::string& out, std::uint32_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
}

}  // namespace

Result<Audio> read_wav(std::string_view bytes) {
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE") {
    return invalid_argument("this is no WAVE file: it does not begin with RIFF and WAVE");
  }
  std::optional<Form> form;
  std::size_t at = 12;
  while (bytes.size() - at >= kChunkHead) {
    const std::string_view name = bytes.substr(at, 4);
    const std::size_t size = little(bytes, at + 4, 4);
    at += kChunkHead;
    const std::string_view chunk = bytes.substr(at, size);
    if (name == "fmt ") {
      GANTRY_ASSIGN(form, read_form(chunk));
    } else if (name == "data") {
      if (!form) return invalid_argument("the WAVE file has sound before it says of which form");
      Audio audio{static_cast<std::int32_t>(std::min<std::uint32_t>(form->rate, 1U << 30U)), 1,
                  buffer_of(mixed_down(chunk, *form))};
      GANTRY_TRY(check_audio(audio));
      return audio;
    }
    const std::size_t step = size + (size & 1U);
    if (step >= bytes.size() - at) break;
    at += step;
  }
  return invalid_argument("the WAVE file has no sound: there is no data chunk");
}

std::string write_wav(const Audio& audio) {
  constexpr std::uint32_t kHead = 36;
  const auto size = static_cast<std::uint32_t>(audio.samples.size());
  const auto rate = static_cast<std::uint32_t>(audio.sample_rate);
  const auto channels = static_cast<std::uint32_t>(audio.channels);
  std::string out = "RIFF";
  out.reserve(kChunkHead + kHead + size);
  put(out, kHead + size, 4);
  out += "WAVEfmt ";
  put(out, 16, 4);
  put(out, kPcm, 2);
  put(out, channels, 2);
  put(out, rate, 4);
  put(out, rate * channels * 2, 4);
  put(out, channels * 2, 2);
  put(out, 16, 2);
  out += "data";
  put(out, size, 4);
  out += audio.samples.text();
  return out;
}

Result<void> check_audio(const Audio& audio) {
  if (audio.channels != 1) {
    return invalid_argument("speech is recognised in one channel, not in " +
                            std::to_string(audio.channels));
  }
  if (audio.sample_rate < kLowestRate || audio.sample_rate > kHighestRate) {
    return invalid_argument("a rate of " + std::to_string(audio.sample_rate) +
                            " samples a second is not between 8000 and 48000");
  }
  return {};
}

std::vector<std::int16_t> samples_of(const Buffer& bytes) {
  std::vector<std::int16_t> out(bytes.size() / 2);
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * 2);
  return out;
}

Buffer buffer_of(std::span<const std::int16_t> samples) {
  return Buffer::copy(std::string_view(reinterpret_cast<const char*>(samples.data()),
                                       samples.size() * sizeof(std::int16_t)));
}

}  // namespace gantry::speech
