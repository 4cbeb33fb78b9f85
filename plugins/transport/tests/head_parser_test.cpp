// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "head_parser.hpp"

using namespace gantry::transport;

namespace {

struct HeadCase {
  const char* rule;
  std::string head;
  int status;  // 0: accepted
};

std::string get(const std::string& fields) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

/// What the two readers make of it, as the connection does: 0 accepted, -1 incomplete.
int verdict(const std::string& head, const Limits& limits = {}) {
  const HeadScan scan = scan_head(head, 0, limits);
  if (scan.state == HeadScan::State::kRefused) return scan.refusal.status;
  if (scan.state == HeadScan::State::kIncomplete) return -1;
  const auto parsed =
      parse_head(std::string_view(head).substr(scan.skip, scan.end - scan.skip), limits);
  const auto* refusal = std::get_if<Refusal>(&parsed);
  return refusal == nullptr ? 0 : refusal->status;
}

const std::vector<HeadCase>& head_cases() {
  static const std::vector<HeadCase> table = {
      {"9112 3: plain", get(""), 0},
      {"9112 2.2: one empty line before", "\r\n" + get(""), 0},
      {"9112 2.2: not two", "\r\n\r\n" + get(""), 400},
      {"9112 3.2: Host missing", "GET / HTTP/1.1\r\n\r\n", 400},
      {"9112 3.2: Host twice", get("Host: a\r\n"), 400},
      {"9112 3.2: Host twice, different", get("host: b\r\n"), 400},
      {"9112 3.2: Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"9112 3.2: Host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
      {"9112 3.2: Host empty", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
      {"9112 3.2: Host with letters as port", "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", 400},
      {"9112 3.2: Host IPv6", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 0},
      {"9112 3.2: Host IPv6 unclosed", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400},
      {"9112 3.2: HTTP/1.0 may go without", "GET / HTTP/1.0\r\n\r\n", 0},
      {"9112 2.2: bare LF", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
      {"9112 2.2: bare LF in fields", get("A: b\nC: d\r\n"), 400},
      {"9112 2.2: bare CR", get("A: b\rC: d\r\n"), 400},
      {"9112 2.2: LF CR", "GET / HTTP/1.1\n\rHost: a\r\n\r\n", 400},
      {"9112 5.2: obs-fold", get("A: b\r\n c\r\n"), 400},
      {"9112 5.2: obs-fold with tab", get("A: b\r\n\tc\r\n"), 400},
      {"9112 2.2: space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
      {"9112 5.1: space before colon", get("A : b\r\n"), 400},
      {"9112 5.1: no colon", get("nonsense\r\n"), 400},
      {"9112 5.1: empty name", get(": b\r\n"), 400},
      {"9110 5.6.2: name no token", get("A(b): c\r\n"), 400},
      {"9110 5.5: NUL in value", get(std::string("A: b\0c\r\n", 8)), 400},
      {"9110 5.5: DEL in value", get("A: b\x7f\r\n"), 400},
      {"9110 5.5: obs-text in value", get("A: \xc3\xa4\r\n"), 0},
      {"9110 5.5: tab in value", get("A: b\tc\r\n"), 0},
      {"9112 3: method with control", "G\x01T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3: method empty", " / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3: TLS hello", std::string("\x16\x03\x01\x02\x00\x01", 6), 400},
      {"9110 9: unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"9110 9.3.8: TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 405},
      {"9110 9.3.6: CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 405},
      {"9110 9.1: case matters", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"9112 2.3: HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"9112 2.3: HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
      {"9112 2.3: lower case", "GET / http/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 2.3: HTTP/0.9", "GET /\r\n\r\n", 400},
      {"9112 3: two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3: tab for space", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3: trailing space", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
      {"9112 3.2: space in target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3.2: raw UTF-8 in target", "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3.2.1: no slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3.2.2: absolute", "GET http://a/b?c HTTP/1.1\r\nHost: a\r\n\r\n", 0},
      {"9112 3.2.2: absolute with a user", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3.2.4: star for GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 3.2.4: star for OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 0},
      {"9112 3.2: fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"9112 6.3: length twice", get("Content-Length: 1\r\nContent-Length: 1\r\n"), 400},
      {"9112 6.3: lengths differ", get("Content-Length: 1\r\nContent-Length: 2\r\n"), 400},
      {"9112 6.3: length list", get("Content-Length: 1, 1\r\n"), 400},
      {"9110 8.6: negative length", get("Content-Length: -1\r\n"), 400},
      {"9110 8.6: signed length", get("Content-Length: +1\r\n"), 400},
      {"9110 8.6: hex length", get("Content-Length: 0x10\r\n"), 400},
      {"9110 8.6: empty length", get("Content-Length:\r\n"), 400},
      {"9110 8.6: huge length", get("Content-Length: 99999999999999999999\r\n"), 413},
      {"9110 8.6: leading zeros", get("Content-Length: 0005\r\n"), 0},
      {"9112 6.1: TE and CL", get("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400},
      {"9112 6.1: TE twice", get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       400},
      {"9112 6.1: TE gzip, chunked", get("Transfer-Encoding: gzip, chunked\r\n"), 501},
      {"9112 6.1: TE chunked, gzip", get("Transfer-Encoding: chunked, gzip\r\n"), 400},
      {"9112 6.1: TE chunked twice", get("Transfer-Encoding: chunked, chunked\r\n"), 400},
      {"9112 6.1: TE identity", get("Transfer-Encoding: identity\r\n"), 400},
      {"9112 6.1: TE unknown", get("Transfer-Encoding: xchunked\r\n"), 400},
      {"9112 6.1: TE with vertical tab",
       get("Transfer-Encoding: \x0b"
           "chunked\r\n"),
       400},
      {"9112 6.1: TE any case", get("Transfer-Encoding: ChunKed\r\n"), 0},
      {"9112 6.1: TE in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"9110 10.1.1: unknown expectation", get("Expect: tea\r\n"), 417},
      {"incomplete", "GET / HTTP/1.1\r\nHost: a\r\n", -1},
  };
  return table;
}

}  // namespace

TEST_CASE("heads are accepted or refused by rule") {
  for (const auto& row : head_cases()) {
    INFO(row.rule);
    CHECK(verdict(row.head) == row.status);
  }
}

TEST_CASE("the scan gives the same verdict however the bytes arrive") {
  for (const auto& row : head_cases()) {
    INFO(row.rule);
    const Limits limits;
    HeadScan scan;
    size_t from = 0;
    for (size_t end = 1; end <= row.head.size(); ++end) {
      scan = scan_head(std::string_view(row.head).substr(0, end), from, limits);
      if (scan.state != HeadScan::State::kIncomplete) break;
      from = end;
    }
    const HeadScan whole = scan_head(row.head, 0, limits);
    CHECK(scan.state == whole.state);
    CHECK(scan.end == whole.end);
  }
}

TEST_CASE("what is overlong has its own status") {
  Limits limits;
  limits.head_bytes = 512;
  limits.target_bytes = 100;
  limits.header_count = 5;
  CHECK(verdict("GET /" + std::string(600, 'a'), limits) == 414);
  CHECK(verdict("GET /" + std::string(200, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", limits) == 414);
  CHECK(verdict(get("A: " + std::string(600, 'b') + "\r\n"), limits) == 431);
  CHECK(verdict(get("A: " + std::string(600, 'b')), limits) == 431);
  CHECK(verdict(get("A: b\r\nA: b\r\nA: b\r\nA: b\r\n"), limits) == 0);
  CHECK(verdict(get("A: b\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n"), limits) == 431);
}

TEST_CASE("a head is taken apart") {
  const std::string text =
      "POST http://Box:8080/a/b?c=d HTTP/1.1\r\nHost: other\r\nContent-Length: 007\r\n"
      "X:  spaced \t\r\nConnection: keep-alive, Close\r\nExpect: 100-Continue\r\n\r\n";
  auto parsed = parse_head(text, Limits{});
  REQUIRE(std::holds_alternative<RequestHead>(parsed));
  const RequestHead head = std::move(std::get<RequestHead>(parsed));
  CHECK(head.method == "POST");
  CHECK(head.path == "/a/b");
  CHECK(head.query == "c=d");
  CHECK(head.host == "Box:8080");
  CHECK(head.find("x") == "spaced");
  CHECK(head.content_length == 7);
  CHECK(head.body == BodyKind::kLength);
  CHECK_FALSE(head.keep_alive);
  CHECK(head.expect_continue);
}

TEST_CASE("keep-alive follows version and Connection") {
  const auto keep = [](const std::string& version, const std::string& connection) {
    const std::string field = connection.empty() ? "" : "Connection: " + connection + "\r\n";
    auto parsed = parse_head("GET / HTTP/" + version + "\r\nHost: a\r\n" + field + "\r\n", {});
    return std::get<RequestHead>(parsed).keep_alive;
  };
  CHECK(keep("1.1", ""));
  CHECK_FALSE(keep("1.1", "close"));
  CHECK_FALSE(keep("1.0", ""));
  CHECK(keep("1.0", "Keep-Alive"));
}

TEST_CASE("percent escapes") {
  CHECK(percent_decode("a%20b%C3%A4") == "a b\xc3\xa4");
  CHECK(percent_decode("a+b", true) == "a b");
  CHECK(percent_decode("a+b") == "a+b");
  for (const char* bad : {"%", "%2", "%zz", "a%00b", "%-1"}) CHECK_FALSE(percent_decode(bad));
}
