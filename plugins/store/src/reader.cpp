// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <Poco/Data/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "checksum.hpp"
#include "limits.hpp"
#include "log_head.hpp"

namespace gantry::store {
namespace {

using namespace Poco::Data::Keywords;  // NOLINT(google-build-using-namespace): the words of Poco
using Poco::Data::Session;
using Poco::Data::Statement;

constexpr std::size_t kMaxIdle = 8;
constexpr std::size_t kPageBytes = 4U * 1024 * 1024;  // of bodies, after which a page ends

Error damaged(const std::string& what) {
  return {Code::DataLoss,
          what + " is not what was written; put a copy of the store back that is whole",
          {}};
}

/// The rows of a statement that fetches one at a time. `next` answers false at the end.
class Rows {
 public:
  explicit Rows(Statement& statement) : statement_(statement) {}
  bool next() { return !statement_.done() && statement_.execute() != 0; }

 private:
  Statement& statement_;
};

Result<void> read_entries(Session& session, const StoreReadLogRequest& request, const LogHead& log,
                          StoreLogPage& page) {
  Poco::Int64 sequence = 0;
  Poco::Int64 at_ms = 0;
  Poco::Int64 sum = 0;
  std::string type;
  std::string body;
  const Poco::Int64 after = std::max(request.after, log.trimmed);
  Statement select(session);
  select << "SELECT sequence, at_ms, type, body, sum FROM entries WHERE log = $1 AND sequence > $2 "
            "ORDER BY sequence"
         << (request.newest ? " DESC" : ""),
      into(sequence), into(at_ms), into(type), into(body), into(sum), bind(Poco::Int64{log.id}),
      bind(after), range(0, 1);
  std::int64_t expected = request.newest ? log.last : after + 1;
  const std::int64_t step = request.newest ? -1 : 1;
  std::size_t bytes = 0;
  Rows rows(select);
  while (expected > after && expected <= log.last) {
    if (std::cmp_equal(page.entries.size(), request.limit) || bytes >= kPageBytes) {
      page.more = true;
      return {};
    }
    if (!rows.next() || sequence != expected || sum != checksum(sequence, type, body)) {
      return damaged(fmt::format("entry {} of the log {}", expected, request.log));
    }
    bytes += body.size();
    page.entries.push_back({sequence, type, Json(std::exchange(body, {})), at_ms});
    expected += step;
  }
  return {};
}

struct Row {
  std::string key;
  std::string body;
  Poco::Int64 version = 0;
  Poco::Int64 changed_ms = 0;
  Poco::Int64 sum = 0;
};

Result<StoredDocument> document(Row& row, const std::string& collection) {
  if (row.sum != checksum(row.version, row.key, row.body)) {
    return damaged("the document " + row.key + " in " + collection);
  }
  return StoredDocument{row.key, Json(std::exchange(row.body, {})), row.version, row.changed_ms};
}

Result<StoreDocuments> read_list(Session& session, const std::string& space,
                                 const StoreListRequest& request) {
  // The range is open at `after` and closed at the prefix, so `low` stands for whichever is more.
  const std::string end = request.prefix + std::string(kLastCharacter);
  const bool down = request.descending;
  const std::string after = !request.after.empty() || !down ? request.after : end;
  Row row;
  Statement select(session);
  select << "SELECT doc_key, body, version, changed_ms, sum FROM documents WHERE space = $1 AND "
            "collection = $2 AND doc_key >= $3 AND doc_key < $4 AND doc_key "
         << (down ? "< $5 ORDER BY doc_key DESC" : "> $5 ORDER BY doc_key"),
      into(row.key), into(row.body), into(row.version), into(row.changed_ms), into(row.sum),
      useRef(space), useRef(request.collection), useRef(request.prefix), useRef(end), useRef(after),
      range(0, 1);
  StoreDocuments answer;
  std::size_t bytes = 0;
  Rows rows(select);
  while (rows.next()) {
    if (std::cmp_equal(answer.documents.size(), request.limit) || bytes >= kPageBytes) {
      answer.more = true;
      break;
    }
    bytes += request.bodies ? row.body.size() : row.key.size();
    GANTRY_ASSIGN(StoredDocument found, document(row, request.collection));
    if (!request.bodies) found.body = Json();
    answer.documents.push_back(std::move(found));
  }
  return answer;
}

Result<StoreDocuments> read_keys(Session& session, const std::string& space,
                                 const StoreGetRequest& request) {
  Row row;
  std::string key;
  Statement select(session);
  select << "SELECT doc_key, body, version, changed_ms, sum FROM documents WHERE space = $1 AND "
            "collection = $2 AND doc_key = $3",
      into(row.key), into(row.body), into(row.version), into(row.changed_ms), into(row.sum),
      useRef(space), useRef(request.collection), use(key);
  StoreDocuments answer;
  for (const std::string& wanted : request.keys) {
    key = wanted;
    if (select.execute() == 0) continue;
    GANTRY_ASSIGN(StoredDocument found, document(row, request.collection));
    answer.documents.push_back(std::move(found));
  }
  return answer;
}

}  // namespace

/// A session that has failed is not used again.
template <class F>
auto Readers::with_session(F&& work) -> decltype(work(std::declval<Session&>())) {
  std::optional<Session> session;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      session.emplace(std::move(idle_.back()));
      idle_.pop_back();
    }
  }
  if (!session) {
    GANTRY_ASSIGN(Session opened, backend_.open_reader());
    session.emplace(std::move(opened));
  }
  return guarded(backend_, [&]() -> decltype(work(*session)) {
    auto answer = work(*session);
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(*session));
    return answer;
  });
}

Result<StoreLogPage> Readers::read_log(const std::string& space,
                                       const StoreReadLogRequest& request) {
  return with_session([&](Session& session) -> Result<StoreLogPage> {
    session.begin();  // the head and the entries are of one moment
    StoreLogPage page;
    Result<void> done;
    try {
      const LogHead log = read_log_head(session, space, request.log);
      page.last = log.last;
      page.first = log.last > log.trimmed ? log.trimmed + 1 : 0;
      done = read_entries(session, request, log, page);
    } catch (...) {
      session.rollback();
      throw;
    }
    session.commit();
    GANTRY_TRY(done);
    if (request.newest) std::reverse(page.entries.begin(), page.entries.end());
    return page;
  });
}

Result<StoreDocuments> Readers::get(const std::string& space, const StoreGetRequest& request) {
  return with_session([&](Session& session) { return read_keys(session, space, request); });
}

Result<StoreDocuments> Readers::list(const std::string& space, const StoreListRequest& request) {
  return with_session([&](Session& session) { return read_list(session, space, request); });
}

}  // namespace gantry::store
