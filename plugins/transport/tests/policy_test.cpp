// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "head_parser.hpp"
#include "policy.hpp"

using namespace gantry::transport;

namespace {

RequestHead head_of(const std::string& fields, const std::string& method = "GET") {
  auto parsed = parse_head(method + " / HTTP/1.1\r\n" + fields + "\r\n", Limits{});
  REQUIRE(std::holds_alternative<RequestHead>(parsed));
  return std::move(std::get<RequestHead>(parsed));
}

PeerInfo local_peer() {
  PeerInfo peer;
  peer.address = peer.local_address = "127.0.0.1";
  peer.listener = "main";
  return peer;
}

}  // namespace

TEST_CASE("Host allow-list") {
  AccessPolicy policy;
  policy.allowed_hosts = {"Desk.Example"};
  PeerInfo peer = local_peer();
  peer.local_address = "192.0.2.7";
  const std::vector<std::pair<const char*, bool>> table = {
      {"localhost", true},         {"LOCALHOST:5001", true}, {"localhost.", true},
      {"127.0.0.1", true},         {"127.9.8.7:1", true},    {"[::1]:80", true},
      {"app.localhost", true},     {"192.0.2.7:80", true},   {"192.0.2.8", false},
      {"desk.example:9", true},    {"evil.example", false},  {"localhost.evil.example", false},
      {"127.0.0.1.nip.io", false}, {"127.0.0.256", false},   {"evillocalhost", false},
  };
  for (const auto& [host, allowed] : table) {
    INFO(host);
    const auto refusal = check_host(head_of("Host: " + std::string(host) + "\r\n"), peer, policy);
    CHECK(!refusal == allowed);
    if (refusal) CHECK(refusal->status == 403);
  }
}

TEST_CASE("a preflight is told by its method and its two headers") {
  const auto with_host = [](const std::string& fields, const std::string& method) {
    return head_of("Host: localhost\r\n" + fields, method);
  };
  const std::string origin = "Origin: https://ui.example\r\n";
  const std::string asks = "Access-Control-Request-Method: POST\r\n";
  CHECK(is_preflight(with_host(origin + asks, "OPTIONS")));
  CHECK(
      is_preflight(with_host(origin + asks + "Access-Control-Request-Headers: x\r\n", "OPTIONS")));
  CHECK_FALSE(is_preflight(with_host(origin + asks, "POST")));
  CHECK_FALSE(is_preflight(with_host(origin, "OPTIONS")));
  CHECK_FALSE(is_preflight(with_host(asks, "OPTIONS")));
  // Twice the same is no browser's: the token that a preflight is spared is asked for.
  CHECK_FALSE(is_preflight(with_host(origin + origin + asks, "OPTIONS")));
  CHECK_FALSE(is_preflight(with_host(origin + asks + asks, "OPTIONS")));
}

TEST_CASE("Origin has three states") {
  AccessPolicy policy;
  policy.allowed_hosts = {"desk.example"};
  policy.allowed_origins = {"https://ui.example"};
  const std::vector<std::pair<const char*, bool>> table = {
      {"", true},
      {"Origin: http://localhost:3000\r\n", true},
      {"Origin: http://127.0.0.1\r\n", true},
      {"Origin: http://[::1]:8080\r\n", true},
      {"Origin: https://ui.example\r\n", true},
      {"Origin: HTTPS://UI.example\r\n", true},
      {"Origin: http://desk.example:5001\r\n", true},
      {"Origin: http://desk.example:5002\r\n", false},
      {"Origin: http://ui.example\r\n", false},
      {"Origin: https://ui.example.evil.example\r\n", false},
      {"Origin: null\r\n", false},
      {"Origin:\r\n", false},
      {"Origin: file://\r\n", false},
      {"Origin: http://localhost@evil.example\r\n", false},
      {"Origin: http://localhost.evil.example\r\n", false},
      {"Origin: http://localhost/x\r\n", false},
      {"Origin: chrome-extension://localhost\r\n", false},
      {"Origin: http://localhost\r\nOrigin: http://localhost\r\n", false},
  };
  for (const auto& [field, allowed] : table) {
    INFO(field);
    const auto head = head_of("Host: desk.example:5001\r\n" + std::string(field));
    CHECK(!check_origin(head, local_peer(), policy) == allowed);
  }
}

TEST_CASE("loopback origins can be switched off, the own one stays") {
  AccessPolicy policy;
  policy.allow_loopback_origins = false;
  const auto origin = [&](const char* value) {
    return !check_origin(head_of("Host: localhost:5001\r\nOrigin: " + std::string(value) + "\r\n"),
                         local_peer(), policy);
  };
  CHECK(origin("http://localhost:5001"));
  CHECK_FALSE(origin("http://localhost:3000"));
}

TEST_CASE("a browser's POST needs JSON") {
  struct Case {
    const char* method;
    const char* fields;
    bool passes;
  };
  const std::vector<Case> table = {
      {"POST", "", true},
      {"POST", "Content-Type: text/plain\r\n", true},
      {"POST", "Origin: http://localhost\r\nContent-Type: application/json\r\n", true},
      {"POST", "Origin: http://localhost\r\nContent-Type: Application/JSON; charset=utf-8\r\n",
       true},
      {"POST", "Origin: http://localhost\r\nContent-Type: application/ld+json\r\n", true},
      {"POST", "Origin: http://localhost\r\nContent-Type: text/plain\r\n", false},
      {"POST", "Origin: http://localhost\r\nContent-Type: text/plain;application/json\r\n", false},
      {"POST", "Origin: http://localhost\r\n", false},
      {"POST", "Sec-Fetch-Site: cross-site\r\n", false},
      {"POST",
       "Origin: http://localhost\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\n",
       false},
      {"GET", "Origin: http://localhost\r\n", true},
  };
  for (const auto& row : table) {
    INFO(row.method << ' ' << row.fields);
    const auto refusal =
        check_json_post(head_of("Host: a\r\n" + std::string(row.fields), row.method));
    CHECK(!refusal == row.passes);
    if (refusal) CHECK(refusal->status == 415);
  }
}

TEST_CASE("bearer tokens") {
  CHECK(bearer_token(head_of("Host: a\r\nAuthorization: Bearer abc\r\n")) == "abc");
  CHECK(bearer_token(head_of("Host: a\r\nAuthorization: bearer  abc\r\n")) == "abc");
  CHECK(bearer_token(head_of("Host: a\r\nAuthorization: Basic abc\r\n")).empty());
  CHECK(bearer_token(head_of("Host: a\r\nAuthorization: Bearer\r\n")).empty());
  CHECK(bearer_token(head_of("Host: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\n"))
            .empty());
  CHECK(equal_in_constant_time("abc", "abc"));
  CHECK_FALSE(equal_in_constant_time("abc", "abd"));
  CHECK_FALSE(equal_in_constant_time("abc", "abcd"));
}
