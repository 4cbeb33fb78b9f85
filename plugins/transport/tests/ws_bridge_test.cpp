// SPDX-License-Identifier: Apache-2.0
// The bridge between a WebSocket and a plugin's stream, with a socket of the test's own.
#include <catch2/catch.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/kernel.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "ws_bridge.hpp"

using namespace gantry;
using namespace gantry::transport;

namespace {

/// A socket whose client the test plays; what the bridge has given back is counted. `gone`: its
/// client went before the handshake was answered.
class PlayedSocket final : public WsSocket {
 public:
  explicit PlayedSocket(bool gone) : gone_(gone) {}
  RequestPtr request() const override { return request_; }
  std::vector<std::string> offered_subprotocols() const override { return {}; }
  bool accept(WsAccept accept) override {
    const std::lock_guard lock(mutex_);
    answered_ = true;
    if (!gone_) sink_ = std::move(accept.sink);
    return !gone_;
  }
  bool refuse(Response) override { return true; }
  SendResult send(bool, Bytes) override { return SendResult::kSent; }
  SendResult hold(bool, Bytes) override {
    ++held_;
    return SendResult::kQueued;
  }
  void release() override {
    const std::lock_guard lock(mutex_);
    writes_.push_back(held_.exchange(0));
  }
  void close(uint16_t, std::string_view) override {}
  void consumed(uint32_t messages, size_t) override { consumed_ += messages; }
  size_t queued_bytes() const override { return 0; }

  std::shared_ptr<WsSink> sink() const {
    const std::lock_guard lock(mutex_);
    return sink_;
  }
  std::uint32_t taken() const { return consumed_; }
  bool answered() const {
    const std::lock_guard lock(mutex_);
    return answered_;
  }
  /// How many messages went with each write.
  std::vector<std::uint32_t> writes() const {
    const std::lock_guard lock(mutex_);
    return writes_;
  }

 private:
  static RequestPtr made() {
    const auto request = std::make_shared<Request>();
    request->peer = std::make_shared<PeerInfo>();
    request->connection = 1;
    return request;
  }

  const bool gone_;
  const RequestPtr request_ = made();
  mutable std::mutex mutex_;
  bool answered_ = false;
  std::shared_ptr<WsSink> sink_;
  std::atomic<std::uint32_t> consumed_{0};
  std::atomic<std::uint32_t> held_{0};
  std::vector<std::uint32_t> writes_;
};

/// The bridge with that socket on one side and on the other a plugin that counts what it hears.
struct Bridged {
  std::atomic<std::uint32_t> heard{0};
  std::atomic<bool> ended{false};
  const std::shared_ptr<PlayedSocket> socket;
  testkit::InProcessKernel kernel{{}};  // goes before what its threads write
  Stream<gantry::WsMessage> down;

  explicit Bridged(const StreamOptions& plugin = {}, bool gone = false)
      : socket(std::make_shared<PlayedSocket>(gone)) {
    REQUIRE(kernel.start().ok());
    const auto take =
        [this](const Ref<WsOpening>&, const CallInfo&,
               Stream<gantry::WsMessage> opened) -> Result<StreamHandlers<gantry::WsMessage>> {
      down = std::move(opened);
      (void)down.send(gantry::WsMessage{gantry::WsOpcode::Accept, {}});
      StreamHandlers<gantry::WsMessage> handlers;
      handlers.on_chunk = [this](const Ref<gantry::WsMessage>&) { ++heard; };
      handlers.on_end = [this](const Error&) { ended = true; };
      return handlers;
    };
    REQUIRE(kernel.host().bus().serve_stream<WsConnect>(take, plugin).ok());
    BridgeOptions options;
    options.queue_limit = 1024;
    make_ws_bridge(kernel.host(), options, {})->on_websocket(socket);
    REQUIRE(testkit::eventually([this] { return socket->answered(); }));
  }
};

}  // namespace

TEST_CASE("what a plugin sends together leaves in one write, or two where that takes long") {
  constexpr std::uint32_t kMessages = 24, kAtLeast = 16;  // before others on the strand get a turn
  Bridged bridged;
  std::promise<void> reached, all_sent;
  bridged.kernel.host().post(
      [&] {
        reached.set_value();
        all_sent.get_future().wait();
      },
      bridged.socket->request()->connection);
  reached.get_future().wait();  // the bridge runs nothing until all of it is there
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    CHECK(bridged.down.send(gantry::WsMessage{gantry::WsOpcode::Text, {}}).ok());
  }
  all_sent.set_value();
  const auto written = [&] {
    const auto writes = bridged.socket->writes();
    return std::accumulate(writes.begin(), writes.end(), 0U);
  };
  CHECK(testkit::eventually([&] { return written() == kMessages; }));
  CHECK(bridged.socket->writes().size() <= 2);
  CHECK(bridged.socket->writes().front() >= kAtLeast);
  bridged.socket->sink()->on_closed(1000, {}, true);
}

TEST_CASE("no message stays behind when room comes while one is put aside") {
  constexpr std::uint32_t kMessages = 150'000, kAhead = 24;
  const Bridged bridged;
  const auto sink = bridged.socket->sink();
  for (std::uint32_t sent = 0; sent < kMessages; ++sent) {
    // As the connection does, which stops reading when too much is on the table.
    for (int look = 0; look < 1000 && sent - bridged.socket->taken() > kAhead; ++look) {
      std::this_thread::yield();
    }
    if (sent - bridged.socket->taken() > kAhead) {
      REQUIRE(testkit::eventually([&] { return sent - bridged.socket->taken() <= kAhead; }));
    }
    sink->on_message({true, "x"});
  }
  CHECK(testkit::eventually([&] { return bridged.heard == kMessages; }));
  sink->on_closed(1000, {}, true);
}

TEST_CASE("a plugin is not handed what it had no room for when the client went") {
  constexpr std::uint32_t kRoom = 4, kSent = 9;
  StreamOptions manual;
  manual.receive_credit = kRoom;
  manual.manual_credit = true;
  const Bridged bridged(manual);
  const auto sink = bridged.socket->sink();
  for (std::uint32_t i = 0; i < kSent; ++i) sink->on_message({true, "x"});
  sink->on_closed(1006, {}, true);
  CHECK(testkit::eventually([&] { return bridged.ended.load(); }));
  CHECK(bridged.heard == kRoom);
}

TEST_CASE("a plugin hears that a client has gone before it was accepted") {
  const Bridged bridged({}, true);
  CHECK(testkit::eventually([&] { return bridged.ended.load(); }));
}
