// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <utility>

#include "ids.hpp"
#include "turn.hpp"

namespace gantry::agent {
namespace {

constexpr std::uint64_t kSnapshotEvery = 500;  // events

}  // namespace

Session::Session(Host& host, StoreClient& store, SessionKey key)
    : host_(host),
      id_(session_id(key)),
      document_(principal_prefix(key.principal) + id_),
      watchers_(store, id_,
                {[this] {
                   if (running) running->watchers_changed();
                   for (const auto& turn : line) turn->watchers_changed();
                 },
                 [this](const std::string& turn) {
                   if (running && running->id() == turn) return true;
                   for (const auto& waiting : line) {
                     if (waiting->id() == turn) return true;
                   }
                   return false;
                 }}),
      journal_(std::make_shared<Journal>(
          host, store, id_,
          Journal::Owner{[this](const Ref<SessionEvents>& events) {
                           watchers_.tell(events);
                           if (!has_work()) watchers_.rest();
                         },
                         [this](const Error& error) { broken(error); }})) {
  record.session = std::move(key);
}

Session::~Session() { journal_->disown(); }

/// What happens from here on could not be told to anybody.
void Session::broken(const Error& error) {
  host_.log().error("a session's log cannot be written", {{"reason", error.message}});
  const auto keep = shared_from_this();
  const auto turns = line;
  for (const auto& turn : turns) turn->stop(TurnEnd::Failed, error.message);
  if (const auto turn = running) turn->stop(TurnEnd::Failed, error.message);
  watchers_.close(error.with_context("the session's log cannot be written"));
}

void Session::restore(bool exists, SessionRecord stored, History history, std::uint64_t snapshot,
                      std::uint64_t last) {
  exists_ = exists;
  stored.session = record.session;
  record = std::move(stored);
  history_ = std::move(history);
  snapshot_ = snapshot;
  journal_->begin(last);
}

Result<SessionRecord> record_of(const StoredDocument& stored) {
  auto record = from_json<SessionRecord>(stored.body.text);
  if (record.ok()) return record;
  return Error{
      Code::DataLoss, "a session's document cannot be read: " + record.error().message, {}};
}

SessionInfo info_of(const SessionRecord& record) {
  SessionInfo out;
  out.session = record.session;
  out.title = record.title;
  out.metadata = record.metadata;
  out.model = record.model;
  out.created_ms = record.created_ms;
  out.updated_ms = record.updated_ms;
  out.history_revision = record.revision;
  out.messages = record.messages;
  out.conversation_tokens = record.conversation_tokens;
  out.input_tokens = record.input_tokens;
  out.output_tokens = record.output_tokens;
  out.compactions = record.compactions;
  return out;
}

SessionInfo Session::info() const {
  SessionInfo out = info_of(record);
  out.last_sequence = journal_->last();
  out.history_revision = history_.revision;
  out.messages = static_cast<std::int64_t>(history_.rows.size());
  if (running) {
    out.running_turn = running->id();
    running->describe(out);
  } else if (compacting) {
    out.phase = "compaction";
  } else if (!line.empty()) {
    out.phase = "queued";
  }
  for (const auto& turn : line) out.queued_turns.push_back(turn->id());
  return out;
}

void Session::log(SessionEvent event, const std::string& turn) {
  event.turn = turn;
  event.at_ms = now_ms();
  if (!is_delta(event.kind)) {
    // What was written a line ago can be read.
    if (const auto applied = apply(history_, event); !applied.ok()) {
      host_.log().error("an event does not fit the history", {{"reason", applied.error().message}});
    }
  }
  journal_->add(std::move(event));
}

// What the history takes is at hand here and need not be read from the event.

void Session::log_row(EventKind kind, HistoryRow row, const std::string& turn) {
  if (row.id.empty()) row.id = random_id("row_");
  row.turn = turn;
  row.at_ms = now_ms();
  write(body_event(kind, row), turn);
  add(history_, std::move(row));
}

void Session::log_result(const ToolResultBody& result, const std::string& turn) {
  write(body_event(EventKind::ToolResult, result), turn);
  add(history_, row_of(result, turn, now_ms()));
}

void Session::write(SessionEvent event, const std::string& turn) {
  event.turn = turn;
  journal_->add(std::move(event));
}

std::int64_t Session::now_ms() const { return host_.wall_ns() / 1'000'000; }

void Session::save(At at, std::vector<StoreChange> changes, Journal::Written then) {
  exists_ = true;
  record.updated_ms = now_ms();
  if (record.created_ms == 0) record.created_ms = record.updated_ms;
  record.revision = history_.revision;
  record.messages = static_cast<std::int64_t>(history_.rows.size());
  StoreChange document;
  document.collection = kSessionDocuments;
  document.key = document_;
  document.body = Json(to_json(record));
  changes.push_back(std::move(document));
  if (at == At::Rest && journal_->planned() >= snapshot_ + kSnapshotEvery) {
    snapshot_ = journal_->planned();
    StoreChange change;
    change.collection = kSnapshotDocuments;
    change.key = id_;
    change.body = Json(to_json(HistorySnapshot{static_cast<std::int64_t>(snapshot_), history_}));
    changes.push_back(std::move(change));
  }
  journal_->commit(std::move(changes),
                   [weak = weak_from_this(), then = std::move(then)](const Result<void>& saved) {
                     const auto self = weak.lock();
                     if (self && saved.ok() && self->on_kept) self->on_kept();
                     then(saved);
                   });
}

bool Session::idle() const {
  return !running && line.empty() && !compacting && watchers_.empty() && journal_->idle();
}

}  // namespace gantry::agent
