// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gantry::agent {
namespace {

/// So long the deltas around a turn's beginning and end may wait for the disk. Beyond it they are
/// spared that, for a message to the store and one to each watcher, and now and then a transaction.
constexpr std::int64_t kSlowSyncNs = 3'000'000;

/// How many events there are up to the last delta.
std::size_t through_last_delta(const std::vector<SessionEvent>& events) {
  const auto last = std::find_if(events.rbegin(), events.rend(),
                                 [](const SessionEvent& event) { return is_delta(event.kind); });
  return static_cast<std::size_t>(events.rend() - last);
}

}  // namespace

void Journal::add(SessionEvent event) {
  if (is_delta(event.kind) && !next_.events.empty()) {
    SessionEvent& last = next_.events.back();
    if (last.kind == event.kind && last.turn == event.turn) {
      last.text += event.text;
      return;
    }
  }
  event.at_ms = host_.wall_ns() / 1'000'000;
  next_.events.push_back(std::move(event));
  schedule();
}

void Journal::when_written(Written then) {
  if (idle()) return then(failure_ ? Result<void>(*failure_) : Result<void>());
  next_.then.push_back(std::move(then));
  schedule();
}

/// Deltas that stand before it need not wait for its sync, nor does what stands before them.
void Journal::commit(std::vector<StoreChange> changes, Written then) {
  if (!std::exchange(next_.sync, true)) next_.early = through_last_delta(next_.events);
  for (StoreChange& change : changes) {
    // Of one document the latest change counts, and the store takes only one.
    std::erase_if(next_.changes, [&change](const StoreChange& earlier) {
      return earlier.collection == change.collection && earlier.key == change.key;
    });
    next_.changes.push_back(std::move(change));
  }
  next_.then.push_back(std::move(then));
  schedule();
}

/// Not at once: what the same piece of work adds next belongs into the same write.
void Journal::schedule() {
  if (!may_send() || std::exchange(scheduled_, true)) return;
  const ContextScope scope = store_.detach();
  host_.post([self = shared_from_this()] {
    self->scheduled_ = false;
    self->flush();
  });
}

/// While a write waits for a slow disk, what somebody waits for is worth a write of its own.
bool Journal::may_send() const {
  if (failure_ || under_way_.empty()) return true;
  const bool writing = std::any_of(under_way_.begin(), under_way_.end(), [](const Pointer& batch) {
    return batch->answers > (batch->sync ? 1 : 0);
  });
  return !writing && disk_is_slow() && (next_.sync || through_last_delta(next_.events) > 0);
}

bool Journal::disk_is_slow() const { return store_.sync_ns() > kSlowSyncNs; }

void Journal::flush() {
  if (next_.empty() || !may_send()) return;
  const auto batch = std::make_shared<Batch>(std::exchange(next_, {}));
  under_way_.push_back(batch);
  const bool nothing = batch->events.empty() && batch->changes.empty() && !batch->sync;
  if (failure_ || nothing) return release();  // in its turn
  for (SessionEvent& event : batch->events) event.sequence = ++sent_;
  send(batch);
}

/// Each write expects the log to end where the one before it has put its end. So none is carried
/// out after one whose events were not written, although the store is not waited for in between.
/// After documents alone that were not written it may be, and has failed all the same.
StoreAppendRequest Journal::append_after(std::uint64_t last) const {
  StoreAppendRequest append;
  append.log = log_;
  append.expect_last = static_cast<std::int64_t>(last);
  return append;
}

/// A batch that has early events gets two answers: that it is written, and that it is on the disk.
void Journal::send(const Pointer& batch) {
  if (!disk_is_slow()) batch->early = 0;
  const bool apart = batch->early > 0;
  const bool sync = batch->sync && !apart;
  batch->answers = apart ? 2 : 1;
  batch->sent_ns = host_.monotonic_ns();
  const std::uint64_t end = sent_;
  StoreAppendRequest append = append_after(end - batch->events.size());
  append.entries.reserve(batch->events.size());
  for (const SessionEvent& event : batch->events) append.entries.push_back(to_entry(event));
  const auto done = [self = shared_from_this(), batch](const auto& answer) {
    self->answered(*batch, answer.ok() ? nullptr : &answer.error());
  };
  if (batch->changes.empty()) {
    append.sync = sync;
    store_.append(std::move(append), done);
  } else {
    StoreWriteRequest write;
    write.changes = std::move(batch->changes);
    write.sync = sync;
    const bool expects = !append.entries.empty() || under_way_.size() > 1;
    if (expects) write.appends.push_back(std::move(append));
    store_.write(std::move(write), done);
  }
  if (!apart) return;
  StoreAppendRequest synced = append_after(end);
  synced.sync = true;
  store_.append(std::move(synced), done);
}

void Journal::answered(Batch& batch, const Error* error) {
  if (error != nullptr && !batch.error) batch.error = *error;
  if (--batch.answers == 0 && batch.sync && !batch.error) {
    store_.synced(host_.monotonic_ns() - batch.sent_ns);
  }
  release();
  flush();
}

/// Tells what can be told, in order.
void Journal::release() {
  while (!under_way_.empty()) {
    const Pointer batch = under_way_.front();
    if (batch->answers > 0) {
      const bool written = batch->answers == 1 && !batch->error && !failure_;
      if (written) tell(*batch, std::exchange(batch->early, 0));
      return;
    }
    under_way_.erase(under_way_.begin());
    finish(*batch);
  }
}

void Journal::finish(Batch& batch) {
  if (batch.error && !failure_) {
    failure_ = batch.error;
    owner_.broken(*failure_);
  }
  if (!failure_) tell(batch, batch.events.size());
  const Result<void> result = failure_ ? Result<void>(*failure_) : Result<void>();
  for (const Written& then : batch.then) then(result);
}

/// The first `count` events of a batch.
void Journal::tell(Batch& batch, std::size_t count) {
  if (count == 0) return;
  SessionEvents told;
  if (count == batch.events.size()) {
    told.events = std::exchange(batch.events, {});
  } else {
    const auto rest = batch.events.begin() + static_cast<std::ptrdiff_t>(count);
    told.events.assign(std::make_move_iterator(batch.events.begin()),
                       std::make_move_iterator(rest));
    batch.events.erase(batch.events.begin(), rest);
  }
  last_ = told.events.back().sequence;
  owner_.told(make_body<SessionEvents>(std::move(told)));
}

}  // namespace gantry::agent
