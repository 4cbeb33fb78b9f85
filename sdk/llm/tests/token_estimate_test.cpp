// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/token_estimate.hpp>

#include <catch2/catch.hpp>
#include <string>

namespace gantry::llm {
namespace {

TEST_CASE("tokens are estimated by kinds of characters") {
  struct Row {
    std::string text;
    std::int64_t tokens;
  };
  const std::string every_ascii = [] {
    std::string out;
    for (char c = 0; c < 0x7F; ++c) out += c;
    return out + '\x7F';
  }();
  const Row rows[] = {
      {"", 0},
      {"word", 1},
      {"two words", 3},             // 9 letters and spaces
      {"@[`{/:", 3},                // the neighbours of letters are signs
      {"a1", 2},                    // one letter, one sign
      {"\xC3\xA9\xE2\x82\xAC", 2},  // a character each, of two and of three bytes
      {"\x80\xBF", 0},              // the rest of characters alone
      {every_ascii, 14 + 38},       // 53 letters with the space, 75 signs
      {std::string(15, 'a') + "12345" + std::string(15, 'Z'), 8 + 3},
      {std::string(10'001, '7'), 5'001},  // more than bytes can count
      {std::string(9'000, 'w') + std::string(9'000, '\xE9') + std::string(9'000, '\x80'),
       2'250 + 9'000},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(estimate_tokens(row.text) == row.tokens);
  }
}

}  // namespace
}  // namespace gantry::llm
