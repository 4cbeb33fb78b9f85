// SPDX-License-Identifier: Apache-2.0
//
// Readers: sessions of their own beside the writer's, each used by one thread at a time. What does
// not carry its checksum, or leaves a gap, is data_loss; nothing of it is answered.
#pragma once

#include <gantry/contracts/store.hpp>

#include <Poco/Data/Session.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend.hpp"

namespace gantry::store {

/// May be used from any thread; a read waits for the disk.
class Readers {
 public:
  explicit Readers(Backend& backend) : backend_(backend) {}

  Result<StoreLogPage> read_log(const std::string& space, const StoreReadLogRequest& request);
  Result<StoreDocuments> get(const std::string& space, const StoreGetRequest& request);
  Result<StoreDocuments> list(const std::string& space, const StoreListRequest& request);

 private:
  template <class F>
  auto with_session(F&& work) -> decltype(work(std::declval<Poco::Data::Session&>()));

  Backend& backend_;
  std::mutex mutex_;
  std::vector<Poco::Data::Session> idle_;
};

}  // namespace gantry::store
