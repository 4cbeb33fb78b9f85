// SPDX-License-Identifier: Apache-2.0
#include "../src/target.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace gantry::http {

TEST_CASE("an address says where a request goes") {
  struct Row {
    std::string url, scheme, host;
    std::uint16_t port;
    std::string path, authority;
  };
  const Row rows[] = {
      {"http://127.0.0.1:8080/v1/chat", "http", "127.0.0.1", 8080, "/v1/chat", "127.0.0.1:8080"},
      {"https://api.example.org/v1?a=b", "https", "api.example.org", 443, "/v1?a=b",
       "api.example.org"},
      {"http://host:80/", "http", "host", 80, "/", "host"},
      {"https://host:80/", "https", "host", 80, "/", "host:80"},
      {"http://host", "http", "host", 80, "/", "host"},
      {"http://host?a", "http", "host", 80, "/?a", "host"},
      {"http://host/a%2Fb", "http", "host", 80, "/a%2Fb", "host"},
      {"http://host/a#part", "http", "host", 80, "/a", "host"},
      {"http://host/\xC3\xA4", "http", "host", 80, "/%C3%A4", "host"},
      {"http://user:word@host/", "http", "host", 80, "/", "host"},
      {"http://user@evil.example:1@host/", "http", "host", 80, "/", "host"},
      {"http://[::1]:81/x", "http", "::1", 81, "/x", "[::1]:81"},
  };
  for (const Row& row : rows) {
    INFO(row.url);
    const auto target = read_url(row.url);
    REQUIRE(target.ok());
    CHECK(target->scheme == row.scheme);
    CHECK(target->host == row.host);
    CHECK(target->port == row.port);
    CHECK(target->path == row.path);
    CHECK(authority(*target) == row.authority);
  }
}

TEST_CASE("what is no address of a web server is refused") {
  for (const std::string url : {"", "host", "ftp://host/", "http://", "http:///path", "file:///etc",
                                "http://host:99999/", "http://host:x/", "http://host:0/"}) {
    INFO(url);
    const auto target = read_url(url);
    REQUIRE_FALSE(target.ok());
    CHECK(target.error().code == Code::InvalidArgument);
  }
}

}  // namespace gantry::http
