// SPDX-License-Identifier: Apache-2.0
#pragma once

// How other threads reach a loop: commands are collected and taken in one swap, and the eventfd is
// written only when the loop sleeps, so a burst costs one wake.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "bytes.hpp"
#include "handler.hpp"

namespace gantry::transport {

/// Slot and generation of a connection in its loop; stale ones find nothing.
using ChannelId = uint64_t;

enum class CommandKind : uint8_t {
  kTask,     ///< `task` runs on the loop; no channel
  kRespond,  ///< answer of an exchange
  kStart,    ///< head of a streamed answer; `number` is its length or -1
  kWrite,
  kFinish,
  kAbandon,   ///< the last handle went
  kConsumed,  ///< a WebSocket has receive credit again
  kAuthorized,
  kReadiness,  ///< `number` is 1 when every plugin that starts with the daemon has started
  kWsAccept,
  kWsRefuse,
  kWsClosing,  ///< the close frame is on its way
  kOverflow,   ///< the peer reads too slowly
};

struct CommandData {
  Response response;
  Bytes bytes;
  Authenticator::Verdict verdict;
  std::function<void()> task;
  std::string text;
};

struct Command {
  CommandKind kind = CommandKind::kTask;
  uint16_t code = 0;
  uint32_t serial = 0;  ///< of the exchange within its connection
  ChannelId channel = 0;
  int64_t number = 0;
  std::unique_ptr<CommandData> data;
};

class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Any thread. After close() the command is destroyed unseen.
  void post(Command command);
  void run(std::function<void()> task);

  // The rest is the loop's.
  int event_fd() const { return event_fd_; }
  /// Call before sleeping: true when there is something to do instead.
  bool prepare_sleep();
  void woken();
  void take(std::vector<Command>& into);
  void close();

 private:
  const int event_fd_;
  std::atomic<bool> sleeping_{false};
  std::mutex mutex_;
  std::vector<Command> commands_;
  bool closed_ = false;
};

}  // namespace gantry::transport
