// SPDX-License-Identifier: Apache-2.0
// When a flush counts as answered, by the injected clock.
#include <catch2/catch.hpp>

#include <gantry/speech/flush_wait.hpp>
#include <gantry/testkit/fake_host.hpp>

#include <chrono>

namespace gantry::speech {
namespace {

using namespace std::chrono_literals;

constexpr Duration kQuiet = 500ms;
constexpr Duration kLimit = 5s;

struct Waiting {
  /// A flush has begun, and its answer has come.
  void settled() {
    wait.begin();
    wait.settle(kQuiet);
  }
  /// It is answered once it has been quiet for so long from now on, and not before.
  void is_answered_after(Duration quiet) {
    kit.advance(quiet - 1ms);
    CHECK(answers == 0);
    kit.advance(1ms);
    CHECK(answers == 1);
  }

  testkit::FakeHost kit;
  int answers = 0;
  FlushWait wait{kit.host(), kLimit, [this] { ++answers; }};
};

TEST_CASE("a flush is answered when nothing came for a while after its answer, once") {
  Waiting flush;
  flush.settled();
  flush.is_answered_after(kQuiet);
  flush.kit.advance(2 * kLimit);
  CHECK(flush.answers == 1);
}

TEST_CASE("words after the answer hold a flush back until these have ended, too") {
  Waiting flush;
  flush.settled();
  flush.kit.advance(kQuiet - 1ms);
  flush.wait.unsettle();
  flush.kit.advance(kQuiet);
  CHECK(flush.answers == 0);
  flush.wait.settle(kQuiet);
  flush.is_answered_after(kQuiet);
}

TEST_CASE("a second answer begins the wait anew") {
  Waiting flush;
  flush.settled();
  flush.kit.advance(kQuiet - 1ms);
  flush.wait.settle(kQuiet);
  flush.is_answered_after(kQuiet);
}

TEST_CASE("a flush that is not answered ends at its limit, whatever came") {
  Waiting flush;
  flush.settled();
  flush.wait.unsettle();
  flush.kit.advance(kLimit - 1ms);
  CHECK(flush.answers == 0);
  flush.wait.settle(kQuiet);
  flush.kit.advance(1ms);
  CHECK(flush.answers == 1);
  flush.kit.advance(kQuiet);
  CHECK(flush.answers == 1);
}

TEST_CASE("an answer that nobody waits for is none, and neither is one of what is over") {
  Waiting flush;
  flush.wait.settle(kQuiet);
  flush.wait.finish();
  flush.kit.advance(kLimit);
  CHECK(flush.answers == 0);
  flush.settled();
  flush.wait.cancel();
  flush.kit.advance(2 * kLimit);
  CHECK(flush.answers == 0);
  flush.wait.begin();
  flush.wait.finish();
  CHECK(flush.answers == 1);
}

}  // namespace
}  // namespace gantry::speech
