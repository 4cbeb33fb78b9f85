// SPDX-License-Identifier: Apache-2.0
//
// Any vocabulary (up to the first byte 0) and any text: tokens of tokens are the same tokens, and
// numbers keep within their limit.
#include "wordpiece.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "words.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(input.find('\0'), size);
  const std::string_view text = input.substr(std::min(cut + 1, size));
  const std::string vocabulary =
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##b\n" + std::string(input.substr(0, cut));
  for (const bool lowercase : {true, false}) {
    const auto tokens = gantry::embed_local::basic_tokens(text, lowercase);
    std::string joined;
    for (const std::string& token : tokens) joined += token + ' ';
    if (gantry::embed_local::basic_tokens(joined, lowercase) != tokens) std::abort();
    const auto words = gantry::embed_local::WordPiece::of(vocabulary, lowercase);
    if (words.ok() && words->encode(text, 32).size() > 32) std::abort();
  }
  for (const std::string& word : gantry::embed_local::words_of(text)) {
    (void)gantry::embed_local::base_forms(word);
  }
  return 0;
}
