// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <Poco/Data/Session.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "checksum.hpp"
#include "entry_row.hpp"
#include "limits.hpp"
#include "log_head.hpp"

namespace gantry::store {

/// A session with its statements.
struct Readers::Reader {
  Reader(const Backend& backend, const Poco::Data::Session& opened)
      : session(opened),
        begin(backend.statement(session, "BEGIN")),
        commit(backend.statement(session, "COMMIT")),
        log_head(backend.statement(session, kSelectLogHead)),
        entries(backend.statement(session,
                                  "SELECT sequence, type, body, sum, at_ms FROM entries WHERE log "
                                  "= $1 AND sequence > $2 ORDER BY sequence")),
        newest_entries(backend.statement(session,
                                         "SELECT sequence, type, body, sum, at_ms FROM entries "
                                         "WHERE log = $1 AND sequence > $2 ORDER BY sequence "
                                         "DESC")),
        document(backend.statement(session,
                                   "SELECT doc_key, body, sum, version, changed_ms FROM documents "
                                   "WHERE space = $1 AND collection = $2 AND doc_key = $3")),
        documents(backend.statement(session,
                                    "SELECT doc_key, body, sum, version, changed_ms FROM documents "
                                    "WHERE space = $1 AND collection = $2 AND doc_key >= $3 AND "
                                    "doc_key < $4 AND doc_key > $5 ORDER BY doc_key")),
        documents_down(backend.statement(session,
                                         "SELECT doc_key, body, sum, version, changed_ms FROM "
                                         "documents WHERE space = $1 AND collection = $2 AND "
                                         "doc_key >= $3 AND doc_key < $4 AND doc_key < $5 ORDER BY "
                                         "doc_key DESC")) {}

  using Pointer = std::unique_ptr<Prepared>;
  Poco::Data::Session session;
  Pointer begin;
  Pointer commit;
  Pointer log_head;
  Pointer entries;
  Pointer newest_entries;
  Pointer document;
  Pointer documents;
  Pointer documents_down;
};

namespace {

constexpr std::size_t kMaxIdle = 8;
constexpr std::size_t kPageBytes = 4U * 1024 * 1024;  // of bodies, after which a page ends

Error damaged(const std::string& what) {
  return {Code::DataLoss,
          what + " is not what was written; put a copy of the store back that is whole",
          {}};
}

/// The entries of a row, as views that are good until the next row.
struct EntryRow {
  std::int64_t first = 0;
  std::vector<EntryView> entries;

  [[nodiscard]] bool has(std::int64_t sequence) const {
    return sequence >= first && sequence - first < std::ssize(entries);
  }
  [[nodiscard]] const EntryView& at(std::int64_t sequence) const {
    return entries[static_cast<std::size_t>(sequence - first)];
  }
};

/// Goes to the next row. It has no entries when there is none, or when it is not what was written.
void read_row(Run& rows, EntryRow& row) {
  row.entries.clear();
  if (!rows.next()) return;
  const std::int64_t last = rows.number(0);
  const EntryView columns{rows.text(1), rows.text(2)};
  if (rows.number(3) == checksum(last, columns.type, columns.body)) unpack(columns, row.entries);
  row.first = last - std::ssize(row.entries) + 1;
}

Result<void> read_entries(Prepared& select, const StoreReadLogRequest& request, const LogHead& log,
                          StoreLogPage& page) {
  const std::int64_t after = std::clamp(request.after, log.trimmed, log.last);
  std::int64_t expected = request.newest ? log.last : after + 1;
  const std::int64_t step = request.newest ? -1 : 1;
  std::size_t bytes = 0;
  Run rows(select, log.id, after);
  EntryRow row;
  while (expected > after && expected <= log.last) {
    if (std::cmp_equal(page.entries.size(), request.limit) || bytes >= kPageBytes) {
      page.more = true;
      return {};
    }
    if (!row.has(expected)) read_row(rows, row);
    if (!row.has(expected)) {
      return damaged(fmt::format("entry {} of the log {}", expected, request.log));
    }
    const EntryView& entry = row.at(expected);
    bytes += entry.body.size();
    page.entries.push_back(
        {expected, std::string(entry.type), Json(std::string(entry.body)), rows.number(4)});
    expected += step;
  }
  return {};
}

/// The document of the row that `rows` has come to.
Result<StoredDocument> read_document(const Run& rows, const std::string& collection) {
  const std::string_view body = rows.text(1);
  const std::int64_t version = rows.number(3);
  std::string key(rows.text(0));
  if (rows.number(2) != checksum(version, key, body)) {
    return damaged("the document " + key + " in " + collection);
  }
  return StoredDocument{std::move(key), Json(std::string(body)), version, rows.number(4)};
}

}  // namespace

Readers::Readers(Backend& backend) : backend_(backend) {}
Readers::~Readers() = default;

/// A reader that has failed is not used again.
template <class F>
auto Readers::with_reader(F&& work) -> decltype(work(std::declval<Reader&>())) {
  std::unique_ptr<Reader> reader;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      reader = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  return guarded(backend_, [&]() -> decltype(work(*reader)) {
    if (!reader) {
      GANTRY_ASSIGN(const Poco::Data::Session opened, backend_.open_reader());
      reader = std::make_unique<Reader>(backend_, opened);
    }
    auto answer = work(*reader);
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(reader));
    return answer;
  });
}

Result<StoreLogPage> Readers::read_log(const std::string& space,
                                       const StoreReadLogRequest& request) {
  return with_reader([&](Reader& reader) -> Result<StoreLogPage> {
    execute(*reader.begin);  // the head and the entries are of one moment
    StoreLogPage page;
    const LogHead log = read_log_head(*reader.log_head, space, request.log);
    page.last = log.last;
    page.first = log.last > log.trimmed ? log.trimmed + 1 : 0;
    const Result<void> done =
        read_entries(request.newest ? *reader.newest_entries : *reader.entries, request, log, page);
    execute(*reader.commit);
    GANTRY_TRY(done);
    if (request.newest) std::reverse(page.entries.begin(), page.entries.end());
    return page;
  });
}

Result<StoreDocuments> Readers::get(const std::string& space, const StoreGetRequest& request) {
  return with_reader([&](Reader& reader) -> Result<StoreDocuments> {
    StoreDocuments answer;
    for (const std::string& key : request.keys) {
      Run row(*reader.document, space, request.collection, key);
      if (!row.next()) continue;
      GANTRY_ASSIGN(StoredDocument found, read_document(row, request.collection));
      answer.documents.push_back(std::move(found));
    }
    return answer;
  });
}

Result<StoreDocuments> Readers::list(const std::string& space, const StoreListRequest& request) {
  // Open at `after`, closed at the prefix: whichever of them is more narrow counts.
  const std::string end = request.prefix + std::string(kLastCharacter);
  const bool down = request.descending;
  const std::string after = !request.after.empty() || !down ? request.after : end;
  return with_reader([&](Reader& reader) -> Result<StoreDocuments> {
    StoreDocuments answer;
    std::size_t bytes = 0;
    Run rows(down ? *reader.documents_down : *reader.documents, space, request.collection,
             request.prefix, end, after);
    while (rows.next()) {
      if (std::cmp_equal(answer.documents.size(), request.limit) || bytes >= kPageBytes) {
        answer.more = true;
        break;
      }
      GANTRY_ASSIGN(StoredDocument found, read_document(rows, request.collection));
      bytes += request.bodies ? found.body.text.size() : found.key.size();
      if (!request.bodies) found.body = Json();
      answer.documents.push_back(std::move(found));
    }
    return answer;
  });
}

}  // namespace gantry::store
