// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/identity.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "identity_plugin.hpp"
#include "rate.hpp"
#include "secret.hpp"
#include "store_plugin.hpp"

namespace gantry::identity {
namespace {

using namespace std::chrono_literals;

class World {
 public:
  explicit World(const std::string& config = "{}") {
    REQUIRE(kit_.load<store::StorePlugin>("store", R"({"path":")" + database() + "\"}").ok());
    start(config);
  }
  void start(const std::string& config) {
    REQUIRE(kit_.load<IdentityPlugin>("identity", config).ok());
  }
  /// As after a restart: what was only in memory is gone.
  void restart(const std::string& config = "{}") {
    kit_.unload("identity");
    start(config);
  }
  testkit::FakeHost& kit() { return kit_; }
  std::string database() const { return folder_.path().string() + "/store.db"; }

  template <class C>
  Result<typename C::Response> call(typename C::Request request) {
    auto answer = kit_.host().bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }
  RegisteredInstall registered() {
    auto made = call<RegisterInstall>({"Linux", "", "127.0.0.1:1"});
    REQUIRE(made.ok());
    return *made;
  }
  Result<IdentityVerified> verify(const std::string& secret,
                                  CredentialKind kind = CredentialKind::Install,
                                  const std::string& peer = "127.0.0.1:5") {
    return call<IdentityVerify>({kind, secret, peer});
  }

 private:
  testkit::TempDir folder_;
  testkit::FakeHost kit_;
};

void check_refused(const Result<IdentityVerified>& answer, std::string_view reason) {
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::Unauthenticated);
  CHECK(answer.error().detail == R"({"reason":")" + std::string(reason) + "\"}");
}

TEST_CASE("a registered installation is known by its token, also after a restart") {
  World world;
  const RegisteredInstall made = world.registered();
  CHECK(std::regex_match(made.user_id, std::regex("user_[0-9a-f]{32}")));
  CHECK(std::regex_match(made.install_id, std::regex("install_[0-9a-f]{32}")));
  CHECK(std::regex_match(made.install_token, std::regex("wnd_install_[A-Za-z0-9_-]{43}")));
  for (int round = 0; round < 2; ++round) {
    const auto verified = world.verify(made.install_token);
    REQUIRE(verified.ok());
    CHECK(verified->principal.id == made.user_id);
    CHECK(verified->principal.roles == std::vector<std::string>{"user"});
    CHECK(verified->credential_id == made.install_id);
    CHECK_FALSE(verified->implicit);
    world.restart();
  }
}

TEST_CASE("every registration is another user") {
  World world;
  const RegisteredInstall first = world.registered();
  const RegisteredInstall second = world.registered();
  CHECK(first.user_id != second.user_id);
  CHECK(world.verify(second.install_token)->principal.id == second.user_id);
}

TEST_CASE("nothing and something wrong are refused, with the reason") {
  World world;
  const RegisteredInstall made = world.registered();
  check_refused(world.verify(""), "missing");
  check_refused(world.verify("wnd_install_x"), "invalid");
  check_refused(world.verify(std::string(600, 'x')), "invalid");
  // Not even by the hash that is stored, or as another kind.
  check_refused(world.verify(hash_of(made.install_token)), "invalid");
  check_refused(world.verify(made.install_token, CredentialKind::ApiKey), "invalid");
}

TEST_CASE("no secret reaches the disk or the log") {
  World world(R"({"install_registration_secret":"open-sesame-9"})");
  const auto made = world.call<RegisterInstall>({"Linux", "open-sesame-9", "unix"});
  REQUIRE(made.ok());
  REQUIRE(world.verify(made->install_token).ok());
  check_refused(world.verify("wnd_install_guessed"), "invalid");
  std::string seen;
  for (const char* part : {"", "-wal"}) {
    std::ifstream file(world.database() + part, std::ios::binary);
    seen.append(std::istreambuf_iterator<char>(file), {});
  }
  CHECK(seen.find(made->install_id) != std::string::npos);
  for (const testkit::LogLine& line : world.kit().logs()) {
    seen += line.message;
    for (const auto& field : line.fields) seen += field.second;
  }
  for (const std::string& secret :
       {made->install_token, std::string("open-sesame-9"), std::string("wnd_install_guessed")}) {
    CHECK(seen.find(secret) == std::string::npos);
  }
}

TEST_CASE("registration can be switched off, and can need a secret") {
  World off(R"({"install_registration_enabled":false})");
  const auto refused = off.call<RegisterInstall>({"", "", "unix"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::PermissionDenied);
  CHECK(refused.error().detail == R"({"reason":"disabled"})");

  World guarded(R"({"install_registration_secret":"s3cret"})");
  for (const char* wrong : {"", "s3cre", "s3crets", "S3cret"}) {
    const auto answer = guarded.call<RegisterInstall>({"", wrong, "unix"});
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().detail == R"({"reason":"secret"})");
  }
  CHECK(guarded.call<RegisterInstall>({"", "s3cret", "unix"}).ok());
}

TEST_CASE("without authentication everybody is local, and who has a token keeps its user") {
  World world(R"({"install_auth_enabled":false,"failures_per_minute":1})");
  const RegisteredInstall made = world.registered();
  for (const char* secret : {"", "wrong", "wrong again"}) {
    const auto verified = world.verify(secret);
    REQUIRE(verified.ok());
    CHECK(verified->principal.id == "local");
    CHECK(verified->implicit);
  }
  CHECK(world.verify(made.install_token)->principal.id == made.user_id);
  // Of other kinds nothing was switched off.
  check_refused(world.verify("", CredentialKind::ApiKey), "missing");
}

TEST_CASE("whoever guesses has to wait, and nobody else") {
  World world(R"({"failures_per_minute":3})");
  const RegisteredInstall made = world.registered();
  for (int i = 0; i < 3; ++i) check_refused(world.verify("guess" + std::to_string(i)), "invalid");
  const auto limited = world.verify("guess4");
  REQUIRE_FALSE(limited.ok());
  CHECK(limited.error().code == Code::ResourceExhausted);
  CHECK(limited.error().detail.find("retry_after_ms") != std::string::npos);
  CHECK(world.verify(made.install_token).ok());
  check_refused(world.verify("guess5", CredentialKind::Install, "10.0.0.9:1"), "invalid");
  check_refused(world.verify(""), "missing");
  world.kit().advance(20s);  // one of three in a minute
  check_refused(world.verify("guess6"), "invalid");
  CHECK(world.verify("guess7").error().code == Code::ResourceExhausted);
}

TEST_CASE("registrations from one address are limited") {
  World world(R"({"registrations_per_hour":2})");
  CHECK(world.call<RegisterInstall>({"", "", "127.0.0.1:1"}).ok());
  CHECK(world.call<RegisterInstall>({"", "", "127.0.0.1:2"}).ok());
  CHECK(world.call<RegisterInstall>({"", "", "127.0.0.1:3"}).error().code ==
        Code::ResourceExhausted);
  CHECK(world.call<RegisterInstall>({"", "", "127.0.0.2:1"}).ok());
  world.kit().advance(30min);
  CHECK(world.call<RegisterInstall>({"", "", "127.0.0.1:1"}).ok());
}

TEST_CASE("links make users of several protocols one principal, and nothing else does") {
  World world;
  const RegisteredInstall made = world.registered();
  world.restart(R"({"links":[{"principal":"ann","members":["gateway:ann","install:)" +
                made.user_id + R"("]}]})");
  CHECK(world.verify(made.install_token)->principal.id == "ann");
  CHECK(world.verify(made.install_token)->subject == made.user_id);
  CHECK(world.call<IdentityResolve>({"gateway", "ann"})->id == "ann");
  CHECK(world.call<IdentityResolve>({"aide", "ann"})->id == "aide:ann");
  CHECK(world.call<IdentityResolve>({"install", "user_1"})->id == "user_1");
  CHECK(world.call<IdentityResolve>({"", ""})->id == "local");
}

TEST_CASE("a link that says two things is refused") {
  testkit::FakeHost kit;
  const auto twice =
      kit.load<IdentityPlugin>("identity", R"({"links":[{"principal":"a","members":["x:1"]},
                               {"principal":"b","members":["x:1"]}]})");
  CHECK_FALSE(twice.ok());
}

TEST_CASE("a credential is issued, listed, runs out and is taken back") {
  World world;
  testkit::EventProbe<CredentialRevoked> revoked(world.kit().host());
  const std::int64_t now = world.kit().host().wall_ns() / 1'000'000;
  const auto key = world.call<IssueCredential>(
      {CredentialKind::ApiKey, "ci", {"operator"}, "build", now + 1000});
  const auto device = world.call<IssueCredential>({CredentialKind::Device, "ann", {}, "phone", {}});
  REQUIRE(key.ok());
  REQUIRE(device.ok());
  const auto verified = world.verify(key->secret, CredentialKind::ApiKey);
  REQUIRE(verified.ok());
  CHECK(verified->principal.id == "key:ci");
  CHECK(verified->principal.roles == std::vector<std::string>{"operator"});

  const auto all = world.call<ListCredentials>({});
  REQUIRE(all.ok());
  CHECK(all->credentials.size() == 2);
  const auto devices = world.call<ListCredentials>({CredentialKind::Device, "", "", 1});
  REQUIRE(devices->credentials.size() == 1);
  CHECK(devices->credentials[0].label == "phone");

  world.kit().advance(1s);
  check_refused(world.verify(key->secret, CredentialKind::ApiKey), "expired");
  REQUIRE(world.call<RevokeCredential>({device->credential_id}).ok());
  check_refused(world.verify(device->secret, CredentialKind::Device), "revoked");
  world.kit().pump();
  REQUIRE(revoked.size() == 1);
  CHECK(revoked.all()[0].credential_id == device->credential_id);
  CHECK(world.call<RevokeCredential>({"device_none"}).error().code == Code::NotFound);
}

TEST_CASE("the list goes on where a page ended") {
  World world;
  for (int i = 0; i < 5; ++i) world.registered();
  std::string after;
  std::size_t seen = 0;
  for (int page = 0; page < 3; ++page) {
    const auto list = world.call<ListCredentials>({CredentialKind::Install, "", after, 2});
    REQUIRE(list.ok());
    CHECK(list->more == (page < 2));
    seen += list->credentials.size();
    after = list->credentials.back().credential_id;
  }
  CHECK(seen == 5);
}

TEST_CASE("it is written down when a credential was last used, once a minute") {
  World world;
  const RegisteredInstall made = world.registered();
  const auto last_seen = [&world] {
    return world.call<ListCredentials>({})->credentials.at(0).last_seen_ms;
  };
  REQUIRE(world.verify(made.install_token).ok());
  world.kit().pump();
  const std::int64_t first = last_seen();
  world.kit().advance(59s);
  REQUIRE(world.verify(made.install_token).ok());
  world.kit().pump();
  CHECK(last_seen() == first);
  world.kit().advance(1s);
  REQUIRE(world.verify(made.install_token).ok());
  world.kit().pump();
  CHECK(last_seen() == first + 60'000);
}

TEST_CASE("without a store nobody is let in, and the reason is said") {
  testkit::FakeHost kit;
  REQUIRE(kit.load<IdentityPlugin>("identity").ok());
  const auto answer =
      kit.host().bus().call_wait<IdentityVerify>({CredentialKind::Install, "x", "unix"});
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::Unavailable);
}

}  // namespace
}  // namespace gantry::identity
