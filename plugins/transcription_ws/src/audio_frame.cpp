// SPDX-License-Identifier: Apache-2.0
#include "audio_frame.hpp"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>

namespace gantry::transcription_ws {
namespace {

namespace json = boost::json;

constexpr std::size_t kHead = 4;
constexpr std::int64_t kDefaultRate = 16000;
constexpr std::int64_t kLowest = 8000;
constexpr std::int64_t kHighest = 48000;

std::size_t metadata_size(std::string_view bytes) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < kHead; ++i) {
    out |= std::size_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  }
  return out;
}

AudioFrame refused(std::string why) {
  AudioFrame frame;
  frame.kind = AudioFrame::Kind::Refused;
  frame.refusal = std::move(why);
  return frame;
}

/// A number in a text, with blanks and a sign as people write them; nullopt for anything else.
std::optional<std::int64_t> number_in(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(kBlank) - first + 1);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The rate as deployed servers read it: missing, null, 0, false and what is empty are the default,
/// numbers lose their fraction, texts may hold a number. nullopt: it is none.
std::optional<std::int64_t> rate_in(const json::value* given) {
  if (given == nullptr || given->is_null()) return kDefaultRate;
  if (given->is_bool()) return given->get_bool() ? 1 : kDefaultRate;
  if (given->is_string()) {
    if (given->get_string().empty()) return kDefaultRate;
    return number_in(given->get_string());
  }
  std::optional<std::int64_t> rate;
  if (given->is_int64()) rate = given->get_int64();
  if (given->is_uint64()) rate = std::int64_t{1} << 62U;
  if (given->is_double() && std::fabs(given->get_double()) < 1e15) {
    if (given->get_double() == 0) return kDefaultRate;
    rate = static_cast<std::int64_t>(given->get_double());
    return rate;
  }
  if (rate == 0) return kDefaultRate;
  return rate;
}

}  // namespace

AudioFrame read_audio_frame(std::string_view bytes) {
  AudioFrame frame;
  if (bytes.size() < kHead) return frame;
  const std::size_t size = metadata_size(bytes);
  bytes.remove_prefix(kHead);
  if (size > bytes.size()) return frame;
  std::int64_t rate = kDefaultRate;
  if (size > 0) {
    boost::system::error_code failure;
    const json::value metadata = json::parse(bytes.substr(0, size), failure);
    if (failure) return frame;
    if (!metadata.is_object()) return refused("the metadata of an audio frame are no JSON object");
    const auto read = rate_in(metadata.get_object().if_contains("sampleRate"));
    if (!read) return frame;
    rate = *read;
  }
  frame.samples = bytes.substr(size);
  if (frame.samples.empty()) return frame;
  if (rate <= 0) rate = kPassingRate;  // such a frame is not resampled
  if (rate < kLowest || rate > kHighest) {
    return refused(fmt::format("a sampleRate of {} is not between 8000 and 48000", rate));
  }
  frame.rate = static_cast<std::int32_t>(rate);
  if (frame.samples.size() % 2 != 0 && frame.rate != kPassingRate) {
    return refused(fmt::format("{} bytes are no whole samples of 16 bits", frame.samples.size()));
  }
  frame.kind = AudioFrame::Kind::Audio;
  return frame;
}

}  // namespace gantry::transcription_ws
