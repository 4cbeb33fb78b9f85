// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bus/call.hpp"
#include "bus/contract.hpp"
#include "bus/stream.hpp"
#include "bus/subscription.hpp"
#include "exec/handle_table.hpp"

#include <atomic>
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
};

}  // namespace gantry::kernel
