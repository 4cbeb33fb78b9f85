// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which sessions of a principal a page of his list has. The order is read from the store when
// somebody lists, and kept for as long as somebody goes on listing. Strand only.

#include <gantry/contracts/session.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "session.hpp"
#include "store_client.hpp"

namespace gantry::agent {

struct SessionPage {
  std::vector<std::string> ids;  // latest change first
  std::int64_t total = 0;        // of all pages
};

class SessionLists {
 public:
  using Done = std::function<void(Result<SessionPage>)>;

  SessionLists(Host& host, StoreClient& store) : host_(host), store_(store) {}

  /// Errors: data_loss (a session's document), unavailable (the store).
  void page(const SessionListRequest& request, Done done);
  /// The store has this of the session now.
  void changed(const std::string& id, const SessionRecord& record);
  /// The store has it no longer.
  void removed(const std::string& id, const std::string& principal);
  /// Forgets the orders that nobody has asked for in a while.
  void sweep();

 private:
  struct List;
  using Pointer = std::shared_ptr<List>;

  void read(const std::string& principal, const Pointer& list, std::string after);
  Result<void> take(List& list, const StoreDocuments& page);
  void finish(const std::string& principal, const Pointer& list, const Result<void>& result);

  Host& host_;
  StoreClient& store_;
  std::map<std::string, Pointer> lists_;  // by principal
};

}  // namespace gantry::agent
