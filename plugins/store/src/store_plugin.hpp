// SPDX-License-Identifier: Apache-2.0
//
// The plugin's behaviour: requests become operations, and what has come in while a transaction was
// running is the next one. Its strand is a thread of its own, where the writer may wait for the
// disk; reads go to a few threads of the blocking pool.
#pragma once

#include <gantry/plugin.hpp>

#include <memory>
#include <vector>

#include "read_queue.hpp"
#include "settings.hpp"
#include "store.hpp"

namespace gantry::store {

class StorePlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  Result<void> serve_writes();
  Result<void> serve_reads();
  Result<void> open();
  void close_what_is_gone();
  /// The opened store, or why there is none; tries again when that may help.
  Result<std::shared_ptr<Store>> opened();
  void add(WriteOperation operation);
  void commit();
  template <class C, class F>
  Result<void> serve_read(F read);

  Settings settings_;
  std::shared_ptr<Store> store_;
  Error failure_{Code::Unavailable, "the store has not been opened yet", {}};
  std::int64_t next_attempt_ns_ = 0;
  std::shared_ptr<ReadQueue> reads_;
  std::vector<WriteOperation> waiting_;
  bool commit_posted_ = false;
  Metric commits_;
  Metric operations_;
  Metric seconds_;
};

}  // namespace gantry::store
