// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/http/sse.hpp>

#include <vector>

using gantry::http::SseEvent;
using gantry::http::SseReader;

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

TEST_CASE("a client that comes back knows where it was") {
  SseReader reader;
  std::vector<std::string> ids;
  const SseReader::Use use = [&](const SseEvent& event) { ids.push_back(event.id); };
  REQUIRE(reader.feed("id: 1-1\ndata: a\n\ndata: b\n\nretry: 250\nretry: x\nid: 1-3\n\n", use));
  CHECK(ids == std::vector<std::string>{"1-1", "1-1"});
  CHECK(reader.last_id() == "1-3");  // an event of only an id counts
  CHECK(reader.retry_ms() == 250);
  REQUIRE(reader.feed(std::string("id: a\0b\ndata: c\n\n", 17), use));
  CHECK(reader.last_id() == "1-3");
  REQUIRE(reader.feed("id: " + std::string(2000, 'x') + "\n\n", use));
  CHECK(reader.last_id() == "1-3");
}
