// SPDX-License-Identifier: Apache-2.0
//
// Any bytes of a program that should write a WAVE file: the same samples or the same refusal,
// however they are cut, and never more samples than there are bytes for.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "wav_stream.hpp"

namespace {

std::optional<std::vector<std::int16_t>> read(std::string_view bytes, std::size_t piece) {
  gantry::tts_espeak::WavStream stream;
  std::vector<std::int16_t> out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const auto some = stream.feed(bytes.substr(0, piece));
    if (!some.ok()) return std::nullopt;
    out.insert(out.end(), some->begin(), some->end());
  }
  if (!out.empty() && stream.sample_rate() == 0) std::abort();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto whole = read(bytes, bytes.size());
  if (whole != read(bytes, 1 + data[0] % 63U)) std::abort();
  if (whole && whole->size() * 2 > bytes.size()) std::abort();
  return 0;
}
