// SPDX-License-Identifier: Apache-2.0
#pragma once
// All sessions: those in memory, and the way to those in the store. Strand only.

#include <gantry/contracts/session.hpp>
#include <gantry/host.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "session.hpp"
#include "session_lists.hpp"
#include "store_client.hpp"

namespace gantry::agent {

/// What a log says of turns that did not finish.
struct Leftover {
  std::vector<std::string> said;              // turns whose user message is in the history
  std::vector<ToolCallItem> calls;            // of the last answer that asked for any
  std::vector<Approval> approvals;            // open
  std::vector<Questionnaire> questionnaires;  // open
  std::string partial;                        // text of a model call that did not finish
};

struct KeyHash {
  [[nodiscard]] std::size_t operator()(const SessionKey& key) const {
    constexpr std::size_t kFactor = 1'000'003;
    const std::hash<std::string> hash;
    return (hash(key.principal) * kFactor + hash(key.workspace)) * kFactor + hash(key.key);
  }
};

class Sessions {
 public:
  using Pointer = std::shared_ptr<Session>;
  using Found = std::function<void(Result<Pointer>)>;

  Sessions(Host& host, StoreClient& store) : host_(host), store_(store), lists_(host, store) {}

  /// Opens the gate: what was asked before is answered now.
  void ready();
  /// The session, read from the store when it is not in memory; exists() is false when nobody has
  /// made it. Waits for ready().
  void find(const SessionKey& key, Found found);
  /// The same without waiting, also collecting what was left over.
  void find_now(const SessionKey& key, Found found, std::shared_ptr<Leftover> leftover = {});
  /// Only when it is in memory.
  [[nodiscard]] Pointer loaded(const SessionKey& key) const;
  [[nodiscard]] const std::unordered_map<std::string, Pointer>& all() const { return sessions_; }

  /// How many keys are known by heart.
  [[nodiscard]] std::size_t keys() const { return ids_.size(); }

  /// A page of a principal's sessions, latest change first.
  void list(const SessionListRequest& request, std::function<void(Result<SessionInfoList>)> done);
  /// Removes a session that is at rest from memory and store.
  void remove(const Pointer& session, std::function<void(Result<void>)> done);
  /// Forgets those that nobody has used for a while, and those whose log failed.
  void sweep();

 private:
  struct Loading;
  struct Listing;
  /// session_id(), which takes as long as everything else of a look-up together: those that are in
  /// memory are known.
  [[nodiscard]] std::string id_of(const SessionKey& key) const;
  void load(const std::shared_ptr<Loading>& loading);
  void read_together(std::vector<std::shared_ptr<Loading>> some);
  void take_record(const std::shared_ptr<Loading>& loading,
                   const Result<Ref<StoreDocuments>>& found);
  void read_snapshot(const std::shared_ptr<Loading>& loading);
  void read_page(const std::shared_ptr<Loading>& loading);
  void take_page(const std::shared_ptr<Loading>& loading, const StoreLogPage& page);
  void finish(const std::shared_ptr<Loading>& loading, const Result<void>& result);
  void forget_unmade(const Pointer& session);
  void read_records(const std::shared_ptr<Listing>& listing);
  void answer(const Listing& listing) const;

  Host& host_;
  StoreClient& store_;
  SessionLists lists_;
  bool ready_ = false;
  std::vector<std::function<void()>> waiting_;
  std::unordered_map<std::string, Pointer> sessions_;         // by id
  std::unordered_map<SessionKey, std::string, KeyHash> ids_;  // of sessions_
  std::map<std::string, std::shared_ptr<Loading>> loading_;   // by id
  std::vector<std::shared_ptr<Loading>> unread_;              // of these, not asked for yet
};

}  // namespace gantry::agent
