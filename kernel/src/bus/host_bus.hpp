// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bus/call.hpp"
#include "bus/contract.hpp"
#include "bus/stream.hpp"
#include "bus/subscription.hpp"
#include "exec/handle_table.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace gantry::kernel {

// What the bus keeps for one plugin: everything that has to end when the plugin does.
class HostBus {
 public:
  bool closing() const { return closing_.load(); }
  void begin_close() { closing_.store(true); }

  // Takes a call that it made out of `calls`.
  void end_call(gantry_handle call) {
    calls.take(call);
    if (!closing()) return;  // nobody waits yet; whoever begins to later finds the call gone
    std::lock_guard lock(mutex);
    calls_ended_.notify_all();
  }
  // Waits until the completion of every call was run or is in its strand: another plugin's thread
  // may be ending one just now. deadline_ns: monotonic, of the real clock.
  bool wait_calls_ended(std::int64_t deadline_ns) {
    std::unique_lock lock(mutex);
    return calls_ended_.wait_until(
        lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline_ns)),
        [this] { return calls.empty(); });
  }

  HandleTable<Call> calls;   // open calls that it made
  HandleTable<Call> served;  // open calls that were given to it
  HandleTable<Subscription> subscriptions;
  HandleTable<StreamLink> streams;  // once per side that belongs to it

  std::mutex mutex;  // guards what follows
  std::vector<Ref<Provider>> providers;
  int suitability = 50;
  std::string suitability_reason;

  std::atomic<std::uint64_t> double_completions{0};
  std::atomic<std::uint64_t> faults{0};  // exceptions that left its code

 private:
  std::atomic<bool> closing_{false};
  std::condition_variable calls_ended_;
};

}  // namespace gantry::kernel
