// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/llm/sse.hpp>

#include <vector>

using gantry::llm::SseEvent;
using gantry::llm::SseReader;

namespace {

/// What comes out when the bytes come in pieces of that size: "name=data" for each event.
std::vector<std::string> read(const std::string& bytes, std::size_t size) {
  std::vector<std::string> out;
  SseReader reader;
  const SseReader::Use use = [&](const SseEvent& e) { out.push_back(e.name + '=' + e.data); };
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    REQUIRE(reader.feed(std::string_view(bytes).substr(at, size), use));
  }
  reader.end(use);
  return out;
}

}  // namespace

TEST_CASE("events come out the same wherever the bytes are cut") {
  using Events = std::vector<std::string>;
  const auto [bytes, expected] = GENERATE(table<std::string, Events>({
      {"data: a\n\ndata: b\n\n", Events{"=a", "=b"}},
      {"data: a\r\n\r\ndata: b\r\n\r\n", Events{"=a", "=b"}},
      {"data: a\r\rdata: b\r\r", Events{"=a", "=b"}},
      {"event: x\ndata: {\"k\": \"ö\"}\n\n", Events{"x={\"k\": \"ö\"}"}},
      {"data: one\ndata: two\n\n", Events{"=one\ntwo"}},
      {"data:no space\ndata:  two\n\n", Events{"=no space\n two"}},
      {": keep-alive\n\n: again\n\ndata: a\n\n", Events{"=a"}},
      {"id: 7\nretry: 10\ndata: a\n\n", Events{"=a"}},
      {"event: alone\n\ndata: a\n\n", Events{"=a"}},
      {"\xEF\xBB\xBF"
       "data: a\n\n",
       Events{"=a"}},
      {"data\n\n", Events{"="}},
      {"data: no blank line", Events{"=no blank line"}},
      {"data: a\n\n\n\n\ndata: b\n\n", Events{"=a", "=b"}},
      {"", Events{}},
  }));
  for (std::size_t size = 1; size <= bytes.size() + 1; ++size) {
    INFO(bytes << " in pieces of " << size);
    CHECK(read(bytes, size) == expected);
  }
}

TEST_CASE("an event that is too large is refused") {
  SseReader reader(10);
  const SseReader::Use use = [](const SseEvent&) {};
  CHECK(reader.feed("data: 123\n", use));
  CHECK_FALSE(reader.feed("data: 4567890", use));
}
