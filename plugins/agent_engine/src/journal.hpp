// SPDX-License-Identifier: Apache-2.0
#pragma once
// The writing end of one session's log. An event is written before anybody is told of it, and
// events are told in order. One write is under way at a time; what comes meanwhile is written
// together after it, and deltas of one kind become one event then, so that a slow disk makes fewer
// and longer deltas instead of a queue. When it takes long until what was written is on the disk,
// deltas do not wait for that: the next write begins beside it. Strand only.

#include <gantry/host.hpp>

#include <cstddef>
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
  void begin(std::uint64_t last) { last_ = sent_ = last; }
  /// Sequence of the last event that was told.
  [[nodiscard]] std::uint64_t last() const { return last_; }
  /// The same when all that was added so far is.
  [[nodiscard]] std::uint64_t planned() const { return sent_ + next_.events.size(); }
  /// The store owes no answer, and nobody waits for one.
  [[nodiscard]] bool idle() const { return under_way_.empty() && next_.empty(); }
  /// Set once a write has failed: nothing more is written, the session must be read again when this
  /// is idle.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

  void add(SessionEvent event);
  /// Runs when everything that was added so far is written and told, or could not be.
  void when_written(Written then);
  /// Everything that was added so far and `changes`, together, and on the disk before `then` runs.
  /// What was added behind the last delta is not told before that, either.
  void commit(std::vector<StoreChange> changes, Written then);

 private:
  struct Batch {
    std::vector<SessionEvent> events;
    std::size_t early = 0;  // the first of them, which are told when they are written
    std::vector<StoreChange> changes;
    std::vector<Written> then;
    bool sync = false;  // the others are told when they are on the disk
    int answers = 0;    // that the store owes
    std::int64_t sent_ns = 0;
    std::optional<Error> error;
    [[nodiscard]] bool empty() const {
      return events.empty() && changes.empty() && then.empty() && !sync;
    }
  };
  using Pointer = std::shared_ptr<Batch>;

  void schedule();
  void flush();
  [[nodiscard]] bool may_send() const;
  [[nodiscard]] bool disk_is_slow() const;
  [[nodiscard]] StoreAppendRequest append_after(std::uint64_t last) const;
  void send(const Pointer& batch);
  void answered(Batch& batch, const Error* error);
  void release();
  void finish(Batch& batch);
  void tell(Batch& batch, std::size_t count);

  Host& host_;
  StoreClient& store_;
  std::string log_;
  Owner owner_;
  std::uint64_t last_ = 0;
  std::uint64_t sent_ = 0;          // sequence of the last event that the store was given
  std::vector<Pointer> under_way_;  // in order
  Batch next_;
  bool scheduled_ = false;
  std::optional<Error> failure_;
};

}  // namespace gantry::agent
