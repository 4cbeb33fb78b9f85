// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who watches a session. A watcher that has credit gets events as they are written; one that has
// not, or that began in the past, is read the log from where it stands until it has caught up. So a
// slow watcher costs no memory and holds up nobody. What was written last is at hand without the
// store. Strand only.

#include <gantry/contracts/session.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "recent_events.hpp"
#include "store_client.hpp"

namespace gantry::agent {

class Watchers {
 public:
  struct Owner {
    std::function<void()> changed;                       // a watcher came or went
    std::function<bool(const std::string&)> unfinished;  // whether more of this turn will come
  };

  Watchers(StoreClient& store, std::string log, Owner owner);
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  ~Watchers();

  /// `last` is the log's last written sequence.
  StreamHandlers<Nothing> add(const SessionWatchRequest& request, Stream<SessionEvents> down,
                              std::uint64_t last);
  void tell(const Ref<SessionEvents>& events);
  /// No turn runs: from here on the store is asked for what was.
  void rest() { recent_.clear(); }
  /// Answers once: with the events after a number, or with none when none came in time.
  void poll(Host& host, const SessionPollRequest& request, std::uint64_t last,
            std::function<void(Result<SessionEvents>)> done);
  /// Ends all of them with `error`.
  void close(const Error& error);
  [[nodiscard]] bool empty() const { return watchers_.empty() && polls_.empty(); }
  /// Watchers of the whole session and of this turn.
  [[nodiscard]] bool any_of(const std::string& turn) const;

 private:
  struct Watcher;
  struct Poll;
  using Pointer = std::shared_ptr<Watcher>;

  void offer(const Pointer& watcher, const Ref<SessionEvents>& events);
  void catch_up(const Pointer& watcher);
  bool not_told_yet(const StoredEntry& entry) const;
  void take_page(const Pointer& watcher, const StoreLogPage& page);
  void go_live(const Pointer& watcher);
  void remove(const Pointer& watcher);
  void read(const std::shared_ptr<Poll>& poll);
  void give(const std::shared_ptr<Poll>& poll, SessionEvents events);
  void answer(const std::shared_ptr<Poll>& poll, Result<SessionEvents> events);

  StoreClient& store_;
  std::string log_;
  Owner owner_;
  std::uint64_t last_ = 0;
  RecentEvents recent_;
  std::list<Pointer> watchers_;
  std::list<std::shared_ptr<Poll>> polls_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace gantry::agent
