// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>

#include "signature.hpp"

namespace gantry::channel_webhook {
namespace {

constexpr const char* kSecret = "a secret of ours";
constexpr std::int64_t kNow = 1'700'000'000'000;

Code check(Verifier& verifier, const std::string& timestamp, const std::string& signature,
           const std::string& body) {
  const auto checked = verifier.check(timestamp, signature, body, kNow);
  return checked.ok() ? Code::Ok : checked.error().code;
}

TEST_CASE("a signature is the one that other programs make") {
  // printf '1700000000.{"chat":"a"}' | openssl dgst -sha256 -hmac 'a secret of ours'
  CHECK(signature_of(kSecret, "1700000000", R"({"chat":"a"})") ==
        "sha256=45772c7b902f03544db5ca2ab5f3e1737519a2ea6a47a8ba6445bcd8ad6e2b71");
}

TEST_CASE("a request counts once, near its time, with its own body") {
  Verifier verifier(kSecret, 300'000, 0);
  const std::string time = "1700000000";
  const std::string good = signature_of(kSecret, time, "x");
  CHECK(check(verifier, time, good, "y") == Code::Unauthenticated);
  CHECK(check(verifier, "1700000001", good, "x") == Code::Unauthenticated);
  CHECK(check(verifier, time, good.substr(1), "x") == Code::Unauthenticated);
  CHECK(check(verifier, time, signature_of("another secret!!", time, "x"), "x") ==
        Code::Unauthenticated);
  CHECK(check(verifier, time, good, "x") == Code::Ok);
  CHECK(check(verifier, time, good, "x") == Code::Unauthenticated);
}

TEST_CASE("times that are off, or none, are refused") {
  Verifier verifier(kSecret, 300'000, 0);
  for (const char* time : {"1699999699", "1700000301", "", "x", "17000000000000000000", "-5"}) {
    INFO(time);
    CHECK(check(verifier, time, signature_of(kSecret, time, "x"), "x") == Code::Unauthenticated);
  }
  CHECK(check(verifier, "1699999700", signature_of(kSecret, "1699999700", "x"), "x") == Code::Ok);
  CHECK(check(verifier, "1700000300", signature_of(kSecret, "1700000300", "x"), "x") == Code::Ok);
}

TEST_CASE("what was let in before a restart is not let in again") {
  Verifier verifier(kSecret, 300'000, 1'700'000'000'400);
  const std::string before = "1699999999";
  CHECK(check(verifier, before, signature_of(kSecret, before, "x"), "x") == Code::Unauthenticated);
  const std::string after = "1700000000";  // of the second in which it began
  CHECK(check(verifier, after, signature_of(kSecret, after, "x"), "x") == Code::Ok);
}

TEST_CASE("no signature is refused") {
  Verifier verifier(kSecret, 300'000, 0);
  CHECK(check(verifier, "1700000000", "", "x") == Code::Unauthenticated);
}

}  // namespace
}  // namespace gantry::channel_webhook
