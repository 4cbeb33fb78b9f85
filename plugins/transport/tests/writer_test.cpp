// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "fixture.hpp"

namespace gantry::transport {
namespace {

/// A writer on one end of a connection, the test on the other.
class Pair {
 public:
  Pair() {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) == 0);
    const int room = 32'768;
    REQUIRE(::setsockopt(ends_[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room) == 0);
  }
  ~Pair() {
    for (const int end : ends_) ::close(end);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int writing() const { return ends_[0]; }
  /// What has come.
  std::string read() const {
    std::string all;
    std::array<char, 65'536> part{};
    for (;;) {
      const ssize_t got = ::recv(ends_[1], part.data(), part.size(), MSG_DONTWAIT);
      if (got <= 0) return all;
      all.append(part.data(), static_cast<size_t>(got));
    }
  }

 private:
  std::array<int, 2> ends_{};
};

constexpr size_t kLimit = 1 << 20;

TEST_CASE("what is held leaves when it is released, or with what is sent next") {
  const Pair pair;
  test::ManualClock clock;
  LeavingBytes leaving(kLimit, clock);
  Writer writer(pair.writing(), nullptr, kLimit, leaving);
  CHECK(writer.hold(Bytes(std::string("a")), Bytes(std::string("b")), false) ==
        SendResult::kQueued);
  CHECK(writer.hold(Bytes(std::string("c")), {}, false) == SendResult::kQueued);
  CHECK(pair.read().empty());
  CHECK(writer.queued_bytes() == 3);
  writer.release();
  CHECK(pair.read() == "abc");
  CHECK(writer.queued_bytes() == 0);
  writer.release();
  writer.hold(Bytes(std::string("d")), {}, false);
  CHECK(writer.send(Bytes(std::string("e")), {}, false) == SendResult::kSent);
  CHECK(pair.read() == "de");
}

TEST_CASE("last words take along what is held") {
  const Pair pair;
  test::ManualClock clock;
  LeavingBytes leaving(kLimit, clock);
  Writer writer(pair.writing(), nullptr, kLimit, leaving);
  writer.hold(Bytes(std::string("message ")), {}, false);
  writer.finish_with(Bytes(std::string("close")), true);
  CHECK(pair.read() == "message close");
  CHECK(writer.hold(Bytes(std::string("late")), {}, false) == SendResult::kDropped);
}

TEST_CASE("what the socket does not take of what is held waits as anything else does") {
  const Pair pair;
  test::ManualClock clock;
  LeavingBytes leaving(kLimit, clock);
  Writer writer(pair.writing(), nullptr, kLimit, leaving);
  const std::string large(std::size_t{4} << 20U, 'x');
  writer.hold(Bytes(large), {}, false);
  writer.hold(Bytes(std::string("end")), {}, false);
  writer.release();
  CHECK(writer.queued_bytes() > 0);
  CHECK(writer.hold(Bytes(std::string("!")), {}, false) == SendResult::kQueued);
  std::string seen = pair.read();
  Writer::Flush flushed = writer.flush();
  for (int i = 0; i < 1000 && flushed == Writer::Flush::kBlocked; ++i) {
    seen += pair.read();
    flushed = writer.flush();
  }
  CHECK(flushed == Writer::Flush::kDrained);
  CHECK(writer.flush() == Writer::Flush::kIdle);
  seen += pair.read();
  CHECK(seen == large + "end!");
}

TEST_CASE("what waits for all peers has a limit, of which each has an equal part") {
  const std::array<Pair, 3> pairs;
  test::ManualClock clock;
  LeavingBytes leaving(kLimit, clock);
  const std::string large(std::size_t{4} << 20U, 'x');
  const std::string part(kLimit / 3, 'x');
  Writer only(pairs[0].writing(), nullptr, kLimit, leaving);
  CHECK(only.send(Bytes(large), {}, false) == SendResult::kQueued);  // nobody else needs the room
  CHECK_FALSE(only.overflowed());
  Writer greedy(pairs[1].writing(), nullptr, kLimit, leaving);
  const bool held = GENERATE(false, true);
  if (held) {
    greedy.hold(Bytes(large), {}, false);
    greedy.release();
  } else {
    CHECK(greedy.send(Bytes(large), {}, false) == SendResult::kDropped);
  }
  CHECK(greedy.crowded_out());
  CHECK(greedy.overflowed());
  CHECK(greedy.queued_bytes() == 0);
  CHECK(greedy.send(Bytes(std::string("more")), {}, false) == SendResult::kDropped);
  Writer modest(pairs[2].writing(), nullptr, kLimit, leaving);
  while (modest.send(Bytes(part), {}, false) == SendResult::kSent) {
  }
  CHECK(modest.queued_bytes() > 0);
  CHECK(modest.queued_bytes() <= part.size());
  CHECK_FALSE(modest.crowded_out());
  only.detach();
  CHECK(modest.send(Bytes(large), {}, false) == SendResult::kQueued);  // now it is the only one
}

/// Peers that read nothing by themselves, and the limit of all.
class Crowd {
 public:
  Writer& writer(size_t i) { return writers_[i]; }
  const Pair& peer(size_t i) const { return pairs_[i]; }
  SendResult send(size_t i, size_t bytes) {
    return writers_[i].send(Bytes(std::string(bytes, 'x')), {}, false);
  }
  void pass(int64_t ms) { clock_.advance(ms); }

 private:
  std::array<Pair, 3> pairs_;
  test::ManualClock clock_;
  LeavingBytes leaving_{kLimit, clock_};
  std::array<Writer, 3> writers_{Writer{pairs_[0].writing(), nullptr, 8 * kLimit, leaving_},
                                 Writer{pairs_[1].writing(), nullptr, 8 * kLimit, leaving_},
                                 Writer{pairs_[2].writing(), nullptr, 8 * kLimit, leaving_}};
};

TEST_CASE("a message costs all of its memory until its last byte is sent") {
  Crowd crowd;
  Writer& first = crowd.writer(0);
  REQUIRE(crowd.send(0, 2 * kLimit) == SendResult::kQueued);
  while (first.queued_bytes() > kLimit / 4) {
    REQUIRE_FALSE(crowd.peer(0).read().empty());
    REQUIRE(first.flush() == Writer::Flush::kBlocked);
  }
  CHECK(crowd.send(1, kLimit * 5 / 8) == SendResult::kDropped);
  CHECK(crowd.writer(1).crowded_out());
}

TEST_CASE("who has taken nothing for a while gives way, the longest first") {
  Crowd crowd;
  Writer& reads = crowd.writer(0);
  REQUIRE(crowd.send(0, kLimit * 5 / 8) == SendResult::kQueued);
  REQUIRE(crowd.send(1, kLimit / 4) == SendResult::kQueued);
  crowd.pass(900);
  CHECK_FALSE(crowd.peer(0).read().empty());
  REQUIRE(reads.flush() == Writer::Flush::kBlocked);
  crowd.pass(200);
  CHECK(crowd.send(2, kLimit / 4) == SendResult::kQueued);
  CHECK(crowd.writer(1).given_up());
  CHECK(crowd.send(1, 1) == SendResult::kDropped);
  CHECK_FALSE(reads.given_up());
}

TEST_CASE("who adds and has stalled longest itself makes nobody else give way") {
  constexpr size_t kPart = kLimit / 32;
  Crowd crowd;
  CHECK(crowd.send(0, 7 * kPart) == SendResult::kQueued);
  crowd.pass(1);
  CHECK(crowd.send(1, 12 * kPart) == SendResult::kQueued);
  CHECK(crowd.send(2, 12 * kPart) == SendResult::kQueued);
  crowd.pass(2000);
  CHECK(crowd.send(0, 2 * kPart) == SendResult::kDropped);  // although it has less than its part
  CHECK_FALSE(crowd.writer(1).given_up());
  CHECK_FALSE(crowd.writer(2).given_up());
}

}  // namespace
}  // namespace gantry::transport
