// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

#include <gantry/contract.hpp>

#include <Poco/Data/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "checksum.hpp"
#include "conflict.hpp"

namespace gantry::store {
namespace {

using namespace Poco::Data::Keywords;  // NOLINT(google-build-using-namespace): the words of Poco

constexpr std::size_t kMaxHeads = 20'000;
constexpr std::int64_t kReserved = 1'000;  // numbers of a counter that are taken at once

}  // namespace

struct Writer::Statements {
  Statements(const Backend& backend, const Poco::Data::Session& session)
      : begin(backend.statement(session, "BEGIN")),
        commit(backend.statement(session, "COMMIT")),
        rollback(backend.statement(session, "ROLLBACK")),
        insert_log(backend.statement(
            session, "INSERT INTO logs (id, space, name, trimmed) VALUES ($1, $2, $3, 0)")),
        insert_entries(backend.statement(session,
                                         "INSERT INTO entries (log, sequence, at_ms, type, body, "
                                         "sum) VALUES ($1, $2, $3, $4, $5, $6)")),
        put_document(backend.statement(
            session,
            "INSERT INTO documents (space, collection, doc_key, version, changed_ms, body, sum) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (space, collection, doc_key) DO "
            "UPDATE SET version = excluded.version, changed_ms = excluded.changed_ms, body = "
            "excluded.body, sum = excluded.sum")),
        remove_document(backend.statement(
            session,
            "DELETE FROM documents WHERE space = $1 AND collection = $2 AND doc_key = $3")),
        read_version(backend.statement(session,
                                       "SELECT version FROM documents WHERE space = $1 AND "
                                       "collection = $2 AND doc_key = $3")),
        log_head(backend.statement(session, kSelectLogHead)),
        set_counters(backend.statement(
            session, "UPDATE counters SET value = CASE name WHEN 'log' THEN $1 ELSE $2 END")) {}

  using Pointer = std::unique_ptr<Prepared>;
  Pointer begin;
  Pointer commit;
  Pointer rollback;
  Pointer insert_log;
  Pointer insert_entries;
  Pointer put_document;
  Pointer remove_document;
  Pointer read_version;
  Pointer log_head;
  Pointer set_counters;
};

Writer::Writer(Backend& backend, Poco::Data::Session session)
    : backend_(backend), session_(std::move(session)) {}

Writer::~Writer() = default;

void Writer::commit(std::span<WriteOperation> operations, std::int64_t now_ms) {
  auto answers = attempt(operations, now_ms);
  if (!answers.ok()) forget();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    operations[i].request.reset();
    operations[i].done(answers.ok() ? std::move((*answers)[i])
                                    : Result<WriteAnswer>(answers.error()));
  }
}

Result<std::vector<Result<WriteAnswer>>> Writer::attempt(std::span<WriteOperation> operations,
                                                         std::int64_t now_ms) {
  return guarded(backend_, [&]() -> Result<std::vector<Result<WriteAnswer>>> {
    if (!statements_) {
      load_counters();
      statements_ = std::make_unique<Statements>(backend_, session_);
    }
    execute(*statements_->begin);
    try {
      std::vector<Result<WriteAnswer>> answers;
      answers.reserve(operations.size());
      for (const WriteOperation& operation : operations) {
        answers.push_back(carry_out(operation, now_ms));
      }
      if (last_log_ > reserved_log_ || last_version_ > reserved_version_) reserve();
      execute(*statements_->commit);
      return answers;
    } catch (...) {
      try {
        execute(*statements_->rollback);
      } catch (const std::exception&) {
        // The transaction is over already; what broke it is the news.
      }
      throw;
    }
  });
}

Result<WriteAnswer> Writer::carry_out(const WriteOperation& operation, std::int64_t now_ms) {
  if (auto error = broken_expectation(operation)) return std::move(*error);
  WriteAnswer answer;
  for (const StoreChange& one : operation.changes) {
    answer.written.versions.push_back(change(operation.space, one, now_ms));
  }
  for (const StoreAppendRequest& one : operation.appends) {
    answer.written.appended.push_back(append(operation.space, one, now_ms));
  }
  if (operation.trim != nullptr) answer.trimmed = trim(operation.space, *operation.trim);
  return answer;
}

std::optional<Error> Writer::broken_expectation(const WriteOperation& operation) {
  for (const StoreAppendRequest& append : operation.appends) {
    if (!append.expect_last) continue;
    const std::int64_t last = head(operation.space, append.log).last;
    if (last == *append.expect_last) continue;
    return Error{Code::Aborted,
                 fmt::format("the log {} ends at {}, not at {}; read what is new and try again",
                             append.log, last, *append.expect_last),
                 to_json(LogConflict{append.log, last})};
  }
  for (const StoreChange& change : operation.changes) {
    if (!change.expect_version) continue;
    const std::int64_t version = version_of(operation.space, change.collection, change.key);
    if (version == *change.expect_version) continue;
    return Error{Code::Aborted,
                 fmt::format("the document {} in {} has version {}, not {}; read it and try again",
                             change.key, change.collection, version, *change.expect_version),
                 to_json(DocumentConflict{change.collection, change.key, version})};
  }
  return std::nullopt;
}

std::int64_t Writer::version_of(const std::string& space, const std::string& collection,
                                const std::string& key) {
  Run run(*statements_->read_version, space, collection, key);
  return run.next() ? run.number(0) : 0;
}

StoreAppended Writer::append(const std::string& space, const StoreAppendRequest& request,
                             std::int64_t now_ms) {
  LogHead& log = head(space, request.log);
  if (request.entries.empty()) return {log.last + 1, log.last};
  if (log.id == 0) {
    log.id = ++last_log_;
    execute(*statements_->insert_log, log.id, space, request.log);
  }
  const StoreAppended answer{log.last + 1,
                             log.last + static_cast<std::int64_t>(request.entries.size())};
  row_.clear();
  for (const StoreEntry& entry : request.entries) {
    if (!row_.fits(entry.type, entry.body.text)) put_row(log, now_ms);
    row_.add(entry.type, entry.body.text);
  }
  put_row(log, now_ms);
  return answer;
}

/// What has been collected, behind the log's last entry.
void Writer::put_row(LogHead& log, std::int64_t now_ms) {
  log.last += row_.count();
  const EntryView columns = row_.columns();
  execute(*statements_->insert_entries, log.id, log.last, now_ms, columns.type, columns.body,
          checksum(log.last, columns.type, columns.body));
  row_.clear();
}

std::int64_t Writer::change(const std::string& space, const StoreChange& change,
                            std::int64_t now_ms) {
  if (!change.body) {
    execute(*statements_->remove_document, space, change.collection, change.key);
    return 0;
  }
  const std::string& body = change.body->text;
  ++last_version_;
  execute(*statements_->put_document, space, change.collection, change.key, last_version_, now_ms,
          body, checksum(last_version_, change.key, body));
  return last_version_;
}

std::int64_t Writer::trim(const std::string& space, const StoreTrimLogRequest& request) {
  LogHead& log = head(space, request.log);
  if (log.id == 0) return 0;
  const Poco::Int64 through =
      request.forget ? log.last : std::clamp(request.through, log.trimmed, log.last);
  const std::int64_t removed = through - log.trimmed;
  const Poco::Int64 id = log.id;
  session_ << "DELETE FROM entries WHERE log = $1 AND sequence <= $2", bind(id), bind(through), now;
  if (request.forget) {
    session_ << "DELETE FROM logs WHERE id = $1", bind(id), now;
    log = {};
  } else if (through > log.trimmed) {
    cut_row(log, through);
    session_ << "UPDATE logs SET trimmed = $1 WHERE id = $2", bind(through), bind(id), now;
    log.trimmed = through;
  }
  return removed;
}

/// Takes the entries up to `through` out of a row that has further ones. One that is not what was
/// written stays as it is: who reads it is told.
void Writer::cut_row(const LogHead& log, std::int64_t through) {
  const auto select = backend_.statement(session_,
                                         "SELECT sequence, type, body, sum FROM entries WHERE log "
                                         "= $1 AND sequence > $2 ORDER BY sequence");
  Run rows(*select, log.id, through);
  if (!rows.next()) return;
  const std::int64_t last = rows.number(0);
  const std::string type(rows.text(1));
  const std::string body(rows.text(2));
  if (rows.number(3) != checksum(last, type, body)) return;
  std::vector<EntryView> entries;
  unpack({type, body}, entries);
  if (std::cmp_less_equal(entries.size(), last - through)) return;  // it begins behind
  row_.clear();
  for (const EntryView& entry : std::span(entries).last(static_cast<std::size_t>(last - through))) {
    row_.add(entry.type, entry.body);
  }
  const EntryView kept = row_.columns();
  execute(*backend_.statement(session_,
                              "UPDATE entries SET type = $1, body = $2, sum = $3 WHERE log = $4 "
                              "AND sequence = $5"),
          kept.type, kept.body, checksum(last, kept.type, kept.body), log.id, last);
}

LogHead& Writer::head(const std::string& space, const std::string& name) {
  const std::string key = space + '\0' + name;
  const auto found = heads_.find(key);
  if (found != heads_.end()) return found->second;
  if (heads_.size() >= kMaxHeads) heads_.clear();
  return heads_.emplace(key, read_log_head(*statements_->log_head, space, name)).first->second;
}

void Writer::load_counters() {
  Poco::Int64 log = 0;
  Poco::Int64 version = 0;
  session_ << "SELECT (SELECT value FROM counters WHERE name = 'log'), (SELECT value FROM counters "
              "WHERE name = 'version')",
      into(log), into(version), now;
  last_log_ = reserved_log_ = log;
  last_version_ = reserved_version_ = version;
}

/// What is stored is ahead of what is used, or each transaction would have to write it: a page more
/// of them. The numbers between are left out when the database is opened the next time.
void Writer::reserve() {
  reserved_log_ = last_log_ + kReserved;
  reserved_version_ = last_version_ + kReserved;
  execute(*statements_->set_counters, reserved_log_, reserved_version_);
}

/// What this object believes may be what was rolled back: it reads everything again.
void Writer::forget() {
  heads_.clear();
  statements_.reset();
}

}  // namespace gantry::store
