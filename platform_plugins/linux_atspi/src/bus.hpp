// SPDX-License-Identifier: Apache-2.0
// One D-Bus connection on the loop, with pipelined method calls: a batch sends up to a window of
// calls before the first answer is in. sd-bus objects are not thread safe, so a Bus, its messages
// and its callbacks live on the loop's thread.
#pragma once

#include "loop.hpp"
#include "task.hpp"

#include <gantry/result.hpp>

#include <systemd/sd-bus.h>

#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gantry::atspi {

/// Why a call has no answer.
enum class CallFailure {
  kNone,
  kTimeout,        ///< no answer within the call's own limit: the peer hangs
  kUnknownMethod,  ///< the object lacks the method, interface or property, or the object is gone
  kNoPeer,         ///< the bus name has no owner any more
  kDisconnected,   ///< our connection to the bus is gone
  kCancelled,      ///< the batch was given up before this call was answered
  kRefused,        ///< any other D-Bus error
};

struct CallResult {
  CallFailure failure = CallFailure::kNone;
  std::string error;                ///< D-Bus error name and message
  sd_bus_message* reply = nullptr;  ///< borrowed, only during the callback
};

/// One method call. `fill` appends the arguments, `done` reads the answer.
struct Call {
  std::string destination;
  std::string path;
  const char* interface = "";
  const char* member = "";
  std::function<int(sd_bus_message*)> fill;
  std::function<void(const CallResult&)> done;
};

/// `org.freedesktop.DBus.Properties.Get(interface, name)`; the variant is read by `done`.
Call property_call(std::string destination, std::string path, const char* interface,
                   const char* name, std::function<void(const CallResult&)> done);

/// How a batch is run.
struct BatchLimits {
  TimePoint deadline;           ///< the whole batch; unanswered calls become kCancelled
  milliseconds per_call{1000};  ///< one call, from its sending
  std::size_t window = 256;     ///< calls in flight at once
  bool stop_at_timeout = true;  ///< one silent call gives up the batch (same peer)
};

struct BatchOutcome {
  std::size_t answered = 0;   ///< replies and errors
  std::size_t cancelled = 0;  ///< never answered
  bool peer_silent = false;   ///< a call hit its own limit
  bool deadline_hit = false;
  bool disconnected = false;
  bool complete() const { return cancelled == 0 && !peer_silent; }
};

class Bus : public Pollable {
 public:
  struct Counters {
    std::uint64_t calls = 0;
    std::uint64_t signals = 0;
  };
  using SignalHandler = std::function<void(sd_bus_message*)>;

  /// Connects to `address` and starts the Hello handshake; does not block.
  static Result<std::shared_ptr<Bus>> open(Loop& loop, const std::string& address);
  ~Bus() override;

  /// All calls, pipelined; answers arrive through each call's `done`, then the outcome.
  Task<BatchOutcome> run(std::vector<Call> calls, BatchLimits limits);
  /// One call. `read` sees the reply; its Error is passed on.
  Task<Result<bool>> call(Call call, milliseconds limit,
                          std::function<Result<void>(sd_bus_message*)> read = {});

  /// Adds a match rule; `handler` (on_signal) gets what it selects.
  Result<void> add_match(const std::string& rule);
  void on_signal(SignalHandler handler) { signal_handler_ = std::move(handler); }
  void on_disconnect(std::function<void()> handler) { disconnect_handler_ = std::move(handler); }

  /// Fails everything in flight and refuses new calls.
  void abandon() { fail_all(); }
  bool connected() const { return !dead_; }
  Loop& loop() { return loop_; }
  const Counters& counters() const { return counters_; }
  std::string unique_name() const;

  int poll_fd() override;
  short poll_events() override;
  TimePoint poll_deadline() override;
  void dispatch() override;

 private:
  struct Batch;
  struct Pending;

  Bus(Loop& loop, sd_bus* bus);
  void pump(Batch& batch);
  bool send(Batch& batch, std::size_t index);
  void finish(Batch& batch);
  void give_up(Batch& batch);
  void fail_all();
  static int on_reply(sd_bus_message* reply, void* data, sd_bus_error* error);
  static int on_filter(sd_bus_message* message, void* data, sd_bus_error* error);

  Loop& loop_;
  sd_bus* bus_;
  bool dead_ = false;
  SignalHandler signal_handler_;
  std::function<void()> disconnect_handler_;
  Counters counters_;
  std::vector<Batch*> batches_;
};

}  // namespace gantry::atspi
