// SPDX-License-Identifier: Apache-2.0
//
// Any text that is to be spoken: however it is cut, the same sentences come of it; they are UTF-8
// without control characters, never empty, and not longer than a sentence may be.
#include <gantry/utf8.hpp>
#include <gantry/voice/sentences.hpp>
#include <gantry/voice/speakable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using gantry::voice::Sentences;

std::vector<std::string> sentences(std::string_view text, std::size_t piece, bool plain) {
  Sentences splitter(plain);
  std::vector<std::string> out;
  const auto keep = [&out](const std::vector<std::string>& made) {
    out.insert(out.end(), made.begin(), made.end());
  };
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    keep(splitter.feed(text.substr(0, piece)));
  }
  keep(splitter.flush());
  return out;
}

void check(std::string_view sentence) {
  if (sentence.empty()) std::abort();
  std::size_t count = 0;
  while (!sentence.empty()) {
    const std::size_t size = gantry::codec::utf8_length(sentence);
    if (size == 0 || static_cast<unsigned char>(sentence.front()) < 0x20) std::abort();
    sentence.remove_prefix(size);
    ++count;
  }
  // Signs become words, so what is said may be longer than what was written.
  if (count > Sentences::kLongest * 20) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = 1 + data[0] % 31U;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto whole = sentences(text, text.size(), false);
  if (whole != sentences(text, piece, false)) std::abort();
  for (const std::string& one : whole) check(one);
  if (sentences(text, text.size(), true) != sentences(text, piece, true)) std::abort();
  const std::string ascii = gantry::voice::ascii_only(text);
  if (std::any_of(ascii.begin(), ascii.end(), [](char c) { return (c & 0x80) != 0; })) std::abort();
  return 0;
}
