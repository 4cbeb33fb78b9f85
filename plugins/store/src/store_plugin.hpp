// SPDX-License-Identifier: Apache-2.0
//
// The plugin's behaviour: requests become operations, and what has come in while a transaction was
// running is the next one. Its strand is a thread of its own, which does not wait for the disk: who
// wants that, and reads, go to threads of the blocking pool.
#pragma once

#include <gantry/plugin.hpp>

#include <memory>
#include <vector>

#include "read_queue.hpp"
#include "settings.hpp"
#include "store.hpp"
#include "sync_queue.hpp"

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
  /// `sync`: it is answered once it is on the disk.
  void add(WriteOperation operation, bool sync);
  void commit();
  void give_care(Store& store);
  template <class C, class F>
  Result<void> serve_read(F read);

  Settings settings_;
  std::shared_ptr<Store> store_;
  Error failure_{Code::Unavailable, "the store has not been opened yet", {}};
  std::int64_t next_attempt_ns_ = 0;
  std::shared_ptr<ReadQueue> reads_;
  std::shared_ptr<SyncQueue> syncs_;
  std::vector<WriteOperation> waiting_;
  bool commit_posted_ = false;
  Metric commits_;
  Metric operations_;
  Metric seconds_;
};

}  // namespace gantry::store
