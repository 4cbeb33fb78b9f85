// SPDX-License-Identifier: Apache-2.0
#pragma once
// One session in memory: its record, its history, its log, who watches, and its line of turns.
// Strand only.

#include <gantry/contracts/session.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "history.hpp"
#include "journal.hpp"
#include "store_client.hpp"
#include "watchers.hpp"

namespace gantry::agent {

class Turn;

/// The session's document in the store.
struct SessionRecord {
  SessionKey session;
  std::string title;
  Json metadata{"{}"};
  std::string model;
  std::int64_t created_ms = 0;
  std::int64_t updated_ms = 0;
  std::int64_t messages = 0;
  std::int64_t conversation_tokens = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int32_t compactions = 0;
  std::uint64_t revision = 0;
  std::vector<std::string> always_allowed;  // tools whose user said so
};
BOOST_DESCRIBE_STRUCT(SessionRecord, (),
                      (session, title, metadata, model, created_ms, updated_ms, messages,
                       conversation_tokens, input_tokens, output_tokens, compactions, revision,
                       always_allowed))

/// What the record alone tells of a session.
[[nodiscard]] SessionInfo info_of(const SessionRecord& record);
/// The record that a document holds. Errors: data_loss.
[[nodiscard]] Result<SessionRecord> record_of(const StoredDocument& stored);

/// The history up to an event, so that a long log need not be read from its beginning.
struct HistorySnapshot {
  std::int64_t through = 0;
  History history;
};
BOOST_DESCRIBE_STRUCT(HistorySnapshot, (), (through, history))

inline constexpr const char* kSessionDocuments = "session";
inline constexpr const char* kSnapshotDocuments = "history";
inline constexpr const char* kRunningDocuments = "running";

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Host& host, StoreClient& store, SessionKey key);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  [[nodiscard]] const SessionKey& key() const { return record.session; }
  [[nodiscard]] const std::string& id() const { return id_; }
  /// Key of its document in the store.
  [[nodiscard]] const std::string& document() const { return document_; }
  /// Whether it is in the store.
  [[nodiscard]] bool exists() const { return exists_; }
  [[nodiscard]] SessionInfo info() const;
  [[nodiscard]] Journal& journal() { return *journal_; }
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] Watchers& watchers() { return watchers_; }

  /// Logs an event of `turn`, and does to the history what it says.
  void log(SessionEvent event, const std::string& turn = {});
  /// Logs a message and puts it into the history; its id, turn and time are filled in.
  void log_row(EventKind kind, HistoryRow row, const std::string& turn = {});
  /// Logs what a call of `turn` has brought and puts it into the history.
  void log_result(const ToolResultBody& result, const std::string& turn);
  enum class At { Work, Rest };
  /// Puts the record into the store, with what was logged and `changes`, on the disk before `then`
  /// runs; At::Rest (no turn is half done) also a snapshot when many events came since the last.
  void save(At at, std::vector<StoreChange> changes, Journal::Written then);

  /// As the store has it. `exists` false: nobody has made it yet.
  void restore(bool exists, SessionRecord stored, History history, std::uint64_t snapshot,
               std::uint64_t last);
  /// A turn runs or waits.
  [[nodiscard]] bool has_work() const { return running != nullptr || !line.empty(); }
  /// Nobody needs it in memory.
  [[nodiscard]] bool idle() const;

  SessionRecord record;
  std::shared_ptr<Turn> running;
  std::deque<std::shared_ptr<Turn>> line;  // wait for it
  bool compacting = false;
  bool deleting = false;
  std::int64_t used_ns = 0;       // host's clock, when somebody last asked for it
  std::function<void()> on_kept;  // whenever the store has the record anew

 private:
  void broken(const Error& error);
  void write(SessionEvent event, const std::string& turn);
  [[nodiscard]] std::int64_t now_ms() const;

  Host& host_;
  std::string id_;
  std::string document_;
  bool exists_ = false;
  History history_;
  std::uint64_t snapshot_ = 0;
  Watchers watchers_;
  std::shared_ptr<Journal> journal_;
};

}  // namespace gantry::agent
