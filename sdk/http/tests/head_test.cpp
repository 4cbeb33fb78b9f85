// SPDX-License-Identifier: Apache-2.0
#include "../src/head.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "../src/body.hpp"

namespace gantry::http {
namespace {

AnswerHead head_of(const std::string& text) {
  auto head = read_head(text);
  INFO(text);
  REQUIRE(head.ok());
  return *std::move(head);
}

}  // namespace

TEST_CASE("the head of a request says what was asked, and each thing once") {
  HttpRequest request{"POST", "", {{"Accept", "a/b"}, {"X-Two", "1"}, {"x-two", "2"}}, "{}"};
  CHECK(*write_head(request, "/v1?a=b", "host:81", true) ==
        "POST /v1?a=b HTTP/1.1\r\nHost: host:81\r\nConnection: Keep-Alive\r\nAccept: a/b\r\n"
        "x-two: 2\r\nContent-Length: 2\r\n\r\n");
  request.headers = {{"host", "other"}, {"connection", "Upgrade"}, {"content-length", "9"}};
  request.body.clear();
  CHECK(*write_head(request, "/", "host", false) ==
        "POST / HTTP/1.1\r\nhost: other\r\nconnection: Upgrade\r\nContent-Length: 0\r\n\r\n");
  request = {"GET", "", {}, {}};
  CHECK(*write_head(request, "/", "host", false) ==
        "GET / HTTP/1.1\r\nHost: host\r\nConnection: Close\r\n\r\n");
}

TEST_CASE("a header cannot bring others along") {
  const std::pair<std::string, std::string> rows[] = {{"X-Key", "a\r\nX-Other: b"},
                                                      {"X-Key", "a\nb"},
                                                      {"X-Key\r\nX", "b"},
                                                      {"", "b"},
                                                      {"X-Key", std::string(1, '\0')}};
  for (const auto& row : rows) {
    INFO(row.first << ": " << row.second);
    const auto head = write_head({"GET", "", {row}, {}}, "/", "host", true);
    REQUIRE_FALSE(head.ok());
    CHECK(head.error().code == Code::InvalidArgument);
  }
}

TEST_CASE("a head ends with its empty line, wherever its bytes are cut") {
  for (const std::string head : {"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\nA: b\n\n",
                                 "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\n\r\n"}) {
    const std::string all = head + "\r\nbody\n\n";
    for (std::size_t seen = 0; seen < head.size(); ++seen) {
      INFO(head << seen);
      CHECK(head_end(all.substr(0, seen), 0) == std::string::npos);
      CHECK(head_end(all, seen) == head.size());
    }
  }
}

TEST_CASE("the head of an answer is read as servers write it") {
  const AnswerHead head = head_of(
      "HTTP/1.1 200 OK\r\nContent-Type:text/event-stream \r\nX-Two: 1\r\nx-two: 2\r\n"
      "Folded: one\r\n\t two\r\nno colon\r\n: no name\r\nEmpty:\r\nTRANSFER-ENCODING: "
      "Chunked\r\n\r\n");
  CHECK(head.told.status == 200);
  CHECK(head.told.header("content-type") == "text/event-stream");
  CHECK(head.told.header("x-two") == "2");
  CHECK(head.told.header("folded") == "one two");
  CHECK(head.told.headers.count("empty") == 1);
  CHECK(head.told.headers.size() == 5);
  CHECK(head.chunked);
  CHECK(head.keep_alive);
  CHECK_FALSE(head.length);

  CHECK(head_of("HTTP/1.1 404\n\n").told.status == 404);
  CHECK(head_of("HTTP/1.1 529 Site is overloaded\r\n\r\n").told.status == 529);
  CHECK(head_of("HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Length: 12\r\n\r\n").length ==
        std::uint64_t{12});
  CHECK(head_of("HTTP/1.1 100 Continue\r\n\r\n").interim());
  CHECK(head_of("HTTP/1.1 103 Early Hints\r\n\r\n").interim());
  CHECK_FALSE(head_of("HTTP/1.1 101 Switching Protocols\r\n\r\n").interim());
}

TEST_CASE("a connection is kept when both sides say so") {
  const std::pair<std::string, bool> rows[] = {
      {"HTTP/1.1 200 OK\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", false},
      {"HTTP/1.1 200 OK\r\nConnection: x, Close\r\n\r\n", false},
      {"HTTP/1.0 200 OK\r\n\r\n", false},
      {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", true}};
  for (const auto& [text, kept] : rows) {
    INFO(text);
    CHECK(head_of(text).keep_alive == kept);
  }
}

TEST_CASE("what is no head, or says two things of its body, is refused") {
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 300; ++i) many += "A: b\r\n";
  for (const std::string& text :
       {std::string("SSH-2.0-OpenSSH\r\n\r\n"), std::string("HTTP/1.1\r\n\r\n"),
        std::string("HTTP/1.1 2000 OK\r\n\r\n"), std::string("HTTP/1.1 20\r\n\r\n"),
        std::string("HTTP/1.1 -20 OK\r\n\r\n"), std::string("HTTP/1.1 099 OK\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1a\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        many + "\r\n", std::string("\r\n\r\n"), std::string()}) {
    INFO(text.substr(0, 80));
    const auto head = read_head(text);
    REQUIRE_FALSE(head.ok());
    CHECK(head.error().code == Code::DataLoss);
  }
}

TEST_CASE("the head says what body follows") {
  const auto body = [](const std::string& text, const std::string& method = "POST") {
    return Body::of(head_of(text), method);
  };
  CHECK(body("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").leaves_connection());
  CHECK(body("HTTP/1.1 204 No\r\n\r\n").leaves_connection());
  CHECK(body("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD").leaves_connection());
  CHECK_FALSE(body("HTTP/1.1 200 OK\r\n\r\n").over());
  // Chunks count more than a length.
  Body both = body("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
  std::string bytes = "2\r\nab\r\n0\r\n\r\n";
  CHECK(both.take(bytes.data(), bytes.size()) == 2);
  CHECK(both.leaves_connection());
}

}  // namespace gantry::http
