// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <utility>

namespace gantry::agent {

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

void Journal::commit(std::vector<StoreChange> changes, Written then) {
  next_.sync = true;
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
  if (writing_ || std::exchange(scheduled_, true)) return;
  const ContextScope scope = store_.detach();
  host_.post([self = shared_from_this()] {
    self->scheduled_ = false;
    self->flush();
  });
}

void Journal::flush() {
  if (writing_ || next_.empty()) return;
  auto batch = std::make_shared<Batch>(std::exchange(next_, {}));
  if (failure_) return written(*batch, *failure_);
  std::uint64_t sequence = last_;
  for (SessionEvent& event : batch->events) event.sequence = ++sequence;
  if (batch->events.empty() && batch->changes.empty() && !batch->sync) {
    return written(*batch, Result<void>());  // only somebody who waited for what was before
  }
  writing_ = true;
  writing_events_ = batch->events.size();
  send(std::move(batch));
}

void Journal::send(std::shared_ptr<Batch> batch) {
  StoreAppendRequest append;
  append.log = log_;
  append.expect_last = static_cast<std::int64_t>(last_);
  append.sync = batch->sync;
  append.entries.reserve(batch->events.size());
  for (const SessionEvent& event : batch->events) append.entries.push_back(to_entry(event));
  const auto done = [self = shared_from_this(), batch](const auto& answer) {
    self->writing_ = false;
    self->writing_events_ = 0;
    self->written(*batch, answer.ok() ? Result<void>() : Result<void>(answer.error()));
    self->flush();
  };
  if (batch->changes.empty()) return store_.append(std::move(append), done);
  StoreWriteRequest write;
  write.changes = batch->changes;
  write.sync = batch->sync;
  if (!append.entries.empty()) write.appends.push_back(std::move(append));
  store_.write(std::move(write), done);
}

void Journal::written(Batch& batch, const Result<void>& result) {
  if (!result.ok()) {
    const bool first = !failure_;
    failure_ = result.error();
    if (first) owner_.broken(*failure_);
  } else if (!batch.events.empty()) {
    last_ = batch.events.back().sequence;
    SessionEvents events;
    events.events = std::move(batch.events);
    owner_.told(make_body<SessionEvents>(std::move(events)));
  }
  for (const Written& then : batch.then) then(result);
}

}  // namespace gantry::agent
