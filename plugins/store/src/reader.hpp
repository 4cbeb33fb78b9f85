// SPDX-License-Identifier: Apache-2.0
//
// Readers: sessions of their own beside the writer's, each used by one thread at a time. What does
// not carry its checksum, or leaves a gap, is data_loss; nothing of it is answered.
#pragma once

#include <gantry/contracts/store.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend.hpp"

namespace gantry::store {

/// May be used from any thread; a read waits for the disk.
class Readers {
 public:
  explicit Readers(Backend& backend);
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;
  ~Readers();

  Result<StoreLogPage> read_log(const std::string& space, const StoreReadLogRequest& request);
  Result<StoreDocuments> get(const std::string& space, const StoreGetRequest& request);
  Result<StoreDocuments> list(const std::string& space, const StoreListRequest& request);

 private:
  struct Reader;

  template <class F>
  auto with_reader(F&& work) -> decltype(work(std::declval<Reader&>()));

  Backend& backend_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_;
};

}  // namespace gantry::store
