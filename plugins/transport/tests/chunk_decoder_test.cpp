// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "chunk_decoder.hpp"

using namespace gantry::transport;
using State = ChunkDecoder::State;

namespace {

struct Decoded {
  State state = State::kMore;
  std::string body;
  size_t consumed = 0;
  bool operator==(const Decoded& other) const {
    return state == other.state && body == other.body && consumed == other.consumed;
  }
};

Decoded decode(std::string_view input, size_t step, uint64_t limit = 1000) {
  ChunkDecoder decoder(limit);
  Decoded outcome;
  while (outcome.consumed < input.size() && outcome.state == State::kMore) {
    size_t used = 0;
    outcome.state = decoder.feed(input.substr(outcome.consumed, step), outcome.body, used);
    outcome.consumed += used;
  }
  return outcome;
}

struct ChunkCase {
  const char* rule;
  std::string input;
  State state;
  const char* body;
};

}  // namespace

TEST_CASE("chunked bodies") {
  const std::vector<ChunkCase> table = {
      {"two chunks", "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n", State::kDone, "abc0123456789"},
      {"empty body", "0\r\n\r\n", State::kDone, ""},
      {"extension", "3;a=b;c=\"d\"\r\nabc\r\n0\r\n\r\n", State::kDone, "abc"},
      {"trailer is dropped", "1\r\na\r\n0\r\nX-Y: z\r\n\r\n", State::kDone, "a"},
      {"leading zeros", "003\r\nabc\r\n0\r\n\r\n", State::kDone, "abc"},
      {"not yet complete", "3\r\nabc\r\n", State::kMore, "abc"},
      {"bare LF after size", "3\nabc\r\n0\r\n\r\n", State::kMalformed, ""},
      {"bare LF after data", "3\r\nabc\n0\r\n\r\n", State::kMalformed, "abc"},
      {"data longer than size", "2\r\nabc\r\n", State::kMalformed, "ab"},
      {"no size", "\r\nabc", State::kMalformed, ""},
      {"negative size", "-3\r\nabc", State::kMalformed, ""},
      {"0x prefix", "0x3\r\nabc", State::kMalformed, ""},
      {"space before size", " 3\r\nabc", State::kMalformed, ""},
      {"space after size", "3 \r\nabc", State::kMalformed, ""},
      {"size overflow", "FFFFFFFFFFFFFFFFF\r\n", State::kTooLarge, ""},
      {"beyond the limit", "3E9\r\n", State::kTooLarge, ""},
      {"beyond the limit in sum", "3E8\r\n" + std::string(1000, 'a') + "\r\n1\r\n",
       State::kTooLarge, nullptr},
      {"endless extension", "3;" + std::string(300, 'a'), State::kTooLarge, ""},
      {"control character in extension", "3;\x01\r\nabc", State::kMalformed, ""},
      {"LF in extension", "3;a\nabc", State::kMalformed, ""},
      {"trailer without colon", "0\r\nfoo\r\n\r\n", State::kMalformed, ""},
      {"trailer with a space in its name", "0\r\nfoo bar: x\r\n\r\n", State::kMalformed, ""},
      {"trailer folded", "0\r\na: b\r\n c\r\n\r\n", State::kMalformed, ""},
      {"bare LF at the end", "0\r\n\n", State::kMalformed, ""},
      {"endless trailer", "0\r\na:" + std::string(9000, 'b'), State::kTooLarge, ""},
  };
  for (const auto& row : table) {
    INFO(row.rule);
    const Decoded whole = decode(row.input, row.input.size());
    CHECK(whole.state == row.state);
    if (row.body != nullptr) CHECK(whole.body == row.body);
    for (const size_t step : {1, 2, 3, 7}) CHECK(decode(row.input, step) == whole);
  }
}

TEST_CASE("what follows the last chunk is left") {
  const Decoded outcome = decode("1\r\na\r\n0\r\n\r\nGET / HTTP/1.1", 100);
  CHECK(outcome.consumed == 11);
}
