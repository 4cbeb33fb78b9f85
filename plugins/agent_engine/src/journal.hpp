// SPDX-License-Identifier: Apache-2.0
#pragma once
// The writing end of one session's log. An event is written before anybody is told of it. One
// write is under way at a time; what comes meanwhile is written together after it, and deltas of
// one kind become one event then, so that a slow disk makes fewer and longer deltas instead of a
// queue. Strand only.

#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "event.hpp"
#include "store_client.hpp"

namespace gantry::agent {

class Journal : public std::enable_shared_from_this<Journal> {
 public:
  using Told = std::function<void(const Ref<SessionEvents>&)>;
  using Written = std::function<void(const Result<void>&)>;

  struct Owner {
    Told told;  // of events that are written, in order, with their sequences
    std::function<void(const Error&)> broken;  // once, when a write has failed
  };
  Journal(Host& host, StoreClient& store, std::string log, Owner owner)
      : host_(host), store_(store), log_(std::move(log)), owner_(std::move(owner)) {}
  /// Whoever it told is no more.
  void disown() {
    owner_ = {[](const Ref<SessionEvents>&) {}, [](const Error&) {}};
  }

  /// The log ends here, as the store says.
  void begin(std::uint64_t last) { last_ = last; }
  /// Sequence of the last event that is written.
  [[nodiscard]] std::uint64_t last() const { return last_; }
  /// The same when all that was added so far is.
  [[nodiscard]] std::uint64_t planned() const {
    return last_ + writing_events_ + next_.events.size();
  }
  [[nodiscard]] bool idle() const { return !writing_ && next_.empty(); }
  /// Set once a write has failed: nothing more is written, the session must be read again.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

  void add(SessionEvent event);
  /// Runs when everything that was added so far is written, or could not be.
  void when_written(Written then);
  /// Everything that was added so far and `changes`, together, and on the disk before `then` runs.
  void commit(std::vector<StoreChange> changes, Written then);

 private:
  struct Batch {
    std::vector<SessionEvent> events;
    std::vector<StoreChange> changes;
    std::vector<Written> then;
    bool sync = false;
    [[nodiscard]] bool empty() const {
      return events.empty() && changes.empty() && then.empty() && !sync;
    }
  };

  void schedule();
  void flush();
  void send(std::shared_ptr<Batch> batch);
  void written(Batch& batch, const Result<void>& result);

  Host& host_;
  StoreClient& store_;
  std::string log_;
  Owner owner_;
  std::uint64_t last_ = 0;
  std::uint64_t writing_events_ = 0;
  Batch next_;
  bool writing_ = false;
  bool scheduled_ = false;
  std::optional<Error> failure_;
};

}  // namespace gantry::agent
