// SPDX-License-Identifier: Apache-2.0
#include "../src/body.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

namespace gantry::http {
namespace {

/// What comes out when the bytes come in blocks of so many.
std::string taken(Body& body, const std::string& bytes, std::size_t block) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    std::string part = bytes.substr(at, block);
    out += part.substr(0, body.take(part.data(), part.size()));
  }
  return out;
}

TEST_CASE("a chunked body comes out the same wherever its bytes are cut") {
  const std::string bytes =
      "5\r\nhello\r\n1;name=\"x\"\r\n,\r\n00c \r\n wide\r\nworld\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n";
  for (std::size_t block = 1; block <= bytes.size(); ++block) {
    INFO(block);
    Body body = Body::chunked();
    CHECK(taken(body, bytes, block) == "hello, wide\r\nworld");
    CHECK(body.over());
    CHECK(body.leaves_connection());
  }
}

TEST_CASE("all chunks that are there come out at once") {
  Body body = Body::chunked();
  std::string bytes = "3\r\none\r\n3\r\ntwo\r\n5\r\nthr";
  const std::size_t kept = body.take(bytes.data(), bytes.size());
  CHECK(bytes.substr(0, kept) == "onetwothr");
  CHECK_FALSE(body.over());
}

TEST_CASE("a chunked body that is none ends, and takes its connection along") {
  for (const std::string bytes :
       {"x\r\n", "\r\n", ";a\r\n", "-1\r\n", "3\r\noneX", "10000000000000000\r\n", "0\r\n\r\r",
        "\r\r", "2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK"}) {
    INFO(bytes);
    Body body = Body::chunked();
    (void)taken(body, bytes, 1);
    CHECK(body.over());
    CHECK_FALSE(body.leaves_connection());
  }
}

TEST_CASE("a trailer may have as many fields as a head, and none without end") {
  const auto trailer = [](std::size_t fields) {
    std::string out = "2\r\nok\r\n0\r\n";
    for (std::size_t i = 0; i < fields; ++i) out += "X: y\r\n";
    return out;
  };
  for (const std::size_t block : {1U, 3U, 100'000U}) {
    Body most = Body::chunked();
    CHECK(taken(most, trailer(kMostFields) + "\r\n", block) == "ok");
    CHECK(most.leaves_connection());
    for (const std::string& bytes :
         {trailer(kMostFields + 1), trailer(0) + std::string(20'000, 'a')}) {
      Body more = Body::chunked();
      CHECK(taken(more, bytes, block) == "ok");
      CHECK(more.over());
      CHECK(more.flooded());
      CHECK_FALSE(more.cut());
      CHECK_FALSE(more.leaves_connection());
    }
  }
}

TEST_CASE("a body ends after its size, or with its connection") {
  Body body = Body::sized(5);
  CHECK(taken(body, "hel", 2) == "hel");
  CHECK_FALSE(body.over());
  CHECK(taken(body, "lo", 2) == "lo");
  CHECK(body.leaves_connection());
  CHECK(taken(body, "HTTP", 4).empty());
  CHECK_FALSE(body.leaves_connection());

  CHECK(Body::sized(0).leaves_connection());
  Body done = Body::sized(0);
  done.close();
  CHECK_FALSE(done.cut());

  Body cut = Body::sized(5);
  (void)taken(cut, "hel", 3);
  cut.close();
  CHECK(cut.over());
  CHECK(cut.cut());
  CHECK_FALSE(cut.leaves_connection());

  Body open = Body::until_close();
  CHECK(taken(open, "5\r\nhello", 3) == "5\r\nhello");
  CHECK_FALSE(open.over());
  open.close();
  CHECK(open.over());
  CHECK_FALSE(open.cut());
  CHECK_FALSE(open.leaves_connection());
}

TEST_CASE("chunks end with the last of them, not with the connection") {
  const std::pair<std::string, bool> rows[] = {
      {"3\r\none\r\n", true},       {"3\r\non", true},
      {"3\r\none", true},           {"3\r\none\r\n0", true},
      {"3\r\none\r\n0\r\n", false}, {"3\r\none\r\n0\r\nX-Sum: 1", false}};
  for (const auto& [bytes, cut] : rows) {
    INFO(bytes);
    Body body = Body::chunked();
    (void)taken(body, bytes, 2);
    body.close();
    CHECK(body.cut() == cut);
    CHECK_FALSE(body.leaves_connection());
  }
}

}  // namespace
}  // namespace gantry::http
