// SPDX-License-Identifier: Apache-2.0
// Which addresses pages may name, as tables.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "address_rules.hpp"
#include "lookup.hpp"
#include "web_address.hpp"

using namespace gantry;
using namespace gantry::web;

namespace {

std::string use_of(const std::string& text) {
  const auto address = read_address(text);
  return address ? std::string(special_use(*address)) : "no address";
}

}  // namespace

TEST_CASE("addresses that are not of the public internet") {
  struct Row {
    const char* address;
    const char* use;
  };
  const Row rows[] = {
      {"0.0.0.0", "this network"},
      {"0.1.2.3", "this network"},
      {"10.0.0.1", "private"},
      {"10.255.255.255", "private"},
      {"100.64.0.1", "shared by a carrier"},
      {"100.127.255.255", "shared by a carrier"},
      {"127.0.0.1", "loopback"},
      {"127.255.255.254", "loopback"},
      {"169.254.1.1", "link-local"},
      {"169.254.169.254", "cloud metadata"},
      {"169.254.170.2", "cloud metadata"},
      {"100.100.100.200", "cloud metadata"},
      {"168.63.129.16", "cloud metadata"},
      {"192.0.0.192", "cloud metadata"},
      {"172.16.0.1", "private"},
      {"172.31.255.255", "private"},
      {"192.0.0.1", "reserved for protocols"},
      {"192.0.2.1", "documentation"},
      {"192.88.99.1", "6to4 relay"},
      {"192.168.0.1", "private"},
      {"192.168.255.255", "private"},
      {"198.18.0.1", "benchmarks"},
      {"198.19.255.255", "benchmarks"},
      {"198.51.100.7", "documentation"},
      {"203.0.113.7", "documentation"},
      {"224.0.0.1", "multicast"},
      {"239.255.255.255", "multicast"},
      {"240.0.0.1", "reserved"},
      {"255.255.255.255", "broadcast"},
      {"::", "unspecified"},
      {"::1", "loopback"},
      {"::127.0.0.1", "not a public address"},  // the old compatible form
      {"::8.8.8.8", "not a public address"},
      {"::ffff:127.0.0.1", "loopback"},
      {"::ffff:a9fe:a9fe", "cloud metadata"},
      {"::ffff:10.1.2.3", "private"},
      {"64:ff9b::127.0.0.1", "loopback"},
      {"64:ff9b::10.0.0.1", "private"},
      {"64:ff9b::a9fe:a9fe", "cloud metadata"},
      {"64:ff9b:1::1", "NAT64 of a private network"},
      {"100::1", "discarded"},
      {"2001::1", "Teredo tunnel"},
      {"2001:2::1", "reserved for protocols"},
      {"2001:db8::1", "documentation"},
      {"2002:7f00:1::1", "6to4 tunnel"},
      {"2002:808:808::1", "6to4 tunnel"},
      {"2a00:1450::5efe:10.0.0.1", "ISATAP tunnel"},
      {"2a00:1450::200:5efe:10.0.0.1", "ISATAP tunnel"},
      {"3fff::1", "documentation"},
      {"5f00::1", "segment routing"},
      {"fc00::1", "private"},
      {"fd12:3456::1", "private"},
      {"fd00:ec2::254", "cloud metadata"},
      {"fe80::1", "link-local"},
      {"febf::1", "link-local"},
      {"fec0::1", "site-local"},
      {"ff02::1", "multicast"},
      {"4000::1", "not a public address"},
  };
  for (const Row& row : rows) {
    INFO(row.address);
    CHECK(use_of(row.address) == row.use);
  }
}

TEST_CASE("addresses of the public internet") {
  for (const char* address : {"1.1.1.1",          "8.8.8.8",         "9.255.255.255",
                              "11.0.0.0",         "100.63.255.255",  "100.128.0.0",
                              "126.255.255.255",  "128.0.0.0",       "169.253.255.255",
                              "169.255.0.0",      "172.15.255.255",  "172.32.0.0",
                              "192.167.255.255",  "192.169.0.0",     "198.17.255.255",
                              "198.20.0.0",       "223.255.255.255", "::ffff:8.8.8.8",
                              "64:ff9b::8.8.8.8", "2606:4700::1111", "2a00:1450:4001::200e",
                              "2001:200::1"}) {
    INFO(address);
    CHECK(use_of(address).empty());
  }
}

TEST_CASE("networks") {
  for (const char* text : {"", "10", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "fd00::/129",
                           "10.0.0/8", "example.org", "fe80::1%eth0"}) {
    INFO(text);
    CHECK_FALSE(read_network(text).ok());
  }
  const auto has = [](const char* network, const char* address) {
    return read_network(network).value().has(*read_address(address));
  };
  CHECK(has("10.0.0.0/8", "10.200.1.1"));
  CHECK_FALSE(has("10.0.0.0/8", "11.0.0.0"));
  CHECK(has("10.0.0.0/8", "::ffff:10.0.0.1"));
  CHECK(has("172.16.0.0/12", "172.31.0.1"));
  CHECK_FALSE(has("172.16.0.0/12", "172.32.0.1"));
  CHECK(has("192.168.1.7", "192.168.1.7"));
  CHECK_FALSE(has("192.168.1.7", "192.168.1.8"));
  CHECK(has("0.0.0.0/0", "10.0.0.1"));
  CHECK_FALSE(has("0.0.0.0/0", "fd00::1"));
  CHECK(has("fd00::/8", "fdff::1"));
  CHECK(has("::/0", "fdff::1"));
}

TEST_CASE("a name leads to the addresses that may be connected to, and to no others") {
  const auto lookup = [](std::vector<std::string> addresses) {
    return [addresses = std::move(addresses)](const std::string&) {
      return Result<std::vector<std::string>>(addresses);
    };
  };
  const auto rules = std::make_shared<const AddressRules>(
      std::vector<Network>{read_network("10.1.0.0/16").value()});
  const auto mixed = checked_lookup(lookup({"127.0.0.1", "8.8.8.8", "10.1.2.3", "::1"}), rules);
  CHECK(mixed("x").value() == std::vector<std::string>{"8.8.8.8", "10.1.2.3"});
  const auto none = checked_lookup(lookup({"10.2.0.1", "fe80::1%lo"}), rules)("intern.example");
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == Code::PermissionDenied);
  CHECK(none.error().message.find("intern.example") != std::string::npos);
  CHECK(none.error().message.find("cure: ") != std::string::npos);
  CHECK(checked_lookup(lookup({}), rules)("x").error().code == Code::PermissionDenied);
}

TEST_CASE("the system's resolver reads addresses in every form, so that all are judged") {
  const auto rules = std::make_shared<const AddressRules>(std::vector<Network>{});
  const Lookup lookup = checked_lookup(system_lookup(), rules);
  for (const char* host : {"127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "localhost",
                           "::1", "0", "::ffff:7f00:1"}) {
    INFO(host);
    const auto found = lookup(host);
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == Code::PermissionDenied);
  }
  CHECK(lookup("8.8.8.8").value() == std::vector<std::string>{"8.8.8.8"});
}

TEST_CASE("addresses of pages") {
  const UrlRules rules{{"https", "http"}, {80, 443}, {"evil.example"}};
  struct Row {
    const char* text;
    const char* url;  // what is asked for
  };
  const Row good[] = {
      {"https://example.org", "https://example.org/"},
      {" https://example.org/a#b ", "https://example.org/a"},
      {"HTTP://EXAMPLE.org:80/A", "http://example.org/A"},
      {"https://example.org:443/", "https://example.org/"},
      {"https://example.org:80/", "https://example.org:80/"},
      {"https://example.org./x", "https://example.org/x"},
      {"https://example.org?q=1", "https://example.org/?q=1"},
      {"https://example.org/a b?c=d e", "https://example.org/a%20b?c=d%20e"},
      {"https://example.org/a%2Fb", "https://example.org/a%2Fb"},
      {"https://example.org/\xC3\xA4", "https://example.org/%C3%A4"},
      {"https://b\xC3\xBC"
       "cher.example/",
       "https://xn--bcher-kva.example/"},
      {"https://[2606:4700::1]/x", "https://[2606:4700::1]/x"},
      {"https://example.org\\@evil.example/", "https://example.org/%5C@evil.example/"},
  };
  for (const Row& row : good) {
    INFO(row.text);
    const auto read = read_web_address(row.text, rules);
    REQUIRE(read.ok());
    CHECK(read->url == row.url);
  }
  struct Wrong {
    const char* text;
    Code code;
  };
  const Wrong bad[] = {
      {"", Code::InvalidArgument},
      {"example.org", Code::InvalidArgument},
      {"://example.org", Code::InvalidArgument},
      {"https://", Code::InvalidArgument},
      {"https:///path", Code::InvalidArgument},
      {"https://exa mple.org/", Code::InvalidArgument},
      {"https://example.org:0/", Code::InvalidArgument},
      {"https://example.org:99999/", Code::InvalidArgument},
      {"https://example.org:8x/", Code::InvalidArgument},
      {"https://example.org/\r\nX: y", Code::InvalidArgument},
      {"https://[::1", Code::InvalidArgument},
      {"https://[fe80::1%25eth0]/", Code::InvalidArgument},
      {"https://a%00b/", Code::InvalidArgument},
      {"file:///etc/passwd", Code::PermissionDenied},
      {"ftp://example.org/", Code::PermissionDenied},
      {"gopher://example.org/", Code::PermissionDenied},
      {"https://user@example.org/", Code::PermissionDenied},
      {"https://user:secret@example.org/", Code::PermissionDenied},
      {"https://example.org:22/", Code::PermissionDenied},
      {"https://evil.example/", Code::PermissionDenied},
      {"https://www.EVIL.example/", Code::PermissionDenied},
  };
  for (const Wrong& row : bad) {
    INFO(row.text);
    const auto read = read_web_address(row.text, rules);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == row.code);
    CHECK(read.error().message.find("secret") == std::string::npos);
  }
  CHECK(read_web_address("https://notevil.example/", rules).ok());
}

TEST_CASE("where a redirect leads") {
  const WebAddress base = read_web_address("https://example.org/a/b?c", UrlRules{}).value();
  CHECK(resolved(base, "http://other.example/x") == "http://other.example/x");
  CHECK(resolved(base, "//other.example/x") == "https://other.example/x");
  CHECK(resolved(base, "/x%2Fy") == "https://example.org/x%2Fy");
  CHECK(resolved(base, "d") == "https://example.org/a/d");
  CHECK(resolved(base, "../d") == "https://example.org/d");
  CHECK(resolved(base, "?e=f") == "https://example.org/a/b?e=f");
}

TEST_CASE(
    "names with empty labels or other signs are refused, in whatever letters they are written") {
  const std::string text =
      GENERATE("https://a..b/", "https://.a/", "https://a../", "https://../",
               "https://b\xC3\xBC..c/", "https://b\xC3\xBC=\"/", "https://b\xC3\xBC\"../x");
  INFO(text);
  CHECK_FALSE(read_web_address(text, UrlRules{}).ok());
}
