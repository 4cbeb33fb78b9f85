// SPDX-License-Identifier: Apache-2.0
#pragma once

// One epoll loop with its connections. Created and destroyed by the Server; run() is the thread.
// Edge-triggered: descriptors are registered once and never modified.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "channel.hpp"
#include "clock.hpp"
#include "mailbox.hpp"
#include "timer_wheel.hpp"
#include "ws_reader.hpp"

namespace gantry::transport {

class ServerCore;

class Loop {
 public:
  Loop(ServerCore& core, const Clock& clock);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run();
  /// Any thread: run() returns after the current round; connections are destroyed by the
  /// destructor.
  void stop();

  // --- loop thread only from here on -------------------------------------------------------------

  /// Takes over an accepted socket and begins to speak HTTP on it.
  void adopt(UniqueFd socket, std::shared_ptr<const PeerInfo> peer, const ListenerState& listener);
  /// Calls `ready` whenever `fd` becomes readable (level-triggered), until unwatch().
  void watch(int fd, std::function<void()> ready);
  void unwatch(int fd);
  void shut_down_channels();
  /// Takes the time anew within a round, for a clock that jumped after the round began.
  void update_now();

  int64_t now_ms() const { return now_ms_; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  ServerCore& core() { return core_; }
  WsReaderPools& ws_pools() { return ws_pools_; }
  TimerWheel& wheel() { return wheel_; }
  char* read_buffer() { return read_buffer_.data(); }
  size_t read_buffer_size() const { return read_buffer_.size(); }
  /// Plaintext of the TLS record being read; kept to save allocations.
  std::string& plain_buffer() { return plain_buffer_; }
  /// "Fri, 28 Nov 2025 01:02:03 GMT", made once a second.
  const std::string& http_date();
  void pump_later(ChannelId id) { pump_again_.push_back(id); }
  void bury(ChannelId id) { dead_.push_back(id); }
  void bury(std::unique_ptr<Protocol> protocol) { old_protocols_.push_back(std::move(protocol)); }

 private:
  struct Slot {
    std::unique_ptr<Channel> channel;
    uint32_t generation = 0;
  };
  struct Watch {
    int fd;
    std::function<void()> ready;
  };

  Channel* find(ChannelId id);
  int wait_ms();
  void run_commands();
  void run_pumps();
  void run_timers();
  void bury_dead();

  ServerCore& core_;
  const Clock& clock_;
  int64_t now_ms_;
  const int epoll_fd_;
  std::shared_ptr<Mailbox> mailbox_;
  TimerWheel wheel_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::vector<Watch> watches_;
  std::vector<Command> commands_;
  std::vector<ChannelId> pump_again_;
  std::vector<ChannelId> dead_;
  std::vector<std::unique_ptr<Protocol>> old_protocols_;
  std::vector<char> read_buffer_;
  std::string plain_buffer_;
  WsReaderPools ws_pools_;
  std::string date_;
  int64_t date_second_ = -1;
  std::atomic<bool> stopping_{false};
};

}  // namespace gantry::transport
