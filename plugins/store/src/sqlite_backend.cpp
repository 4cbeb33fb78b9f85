// SPDX-License-Identifier: Apache-2.0
#include "sqlite_backend.hpp"

#include <Poco/Data/SQLite/Connector.h>
#include <Poco/Data/SQLite/SQLiteException.h>
#include <Poco/Data/SQLite/Utility.h>
#include <Poco/Data/Statement.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

#include "sqlite_statement.hpp"

namespace gantry::store {
namespace {

namespace sqlite = Poco::Data::SQLite;
using namespace Poco::Data::Keywords;  // NOLINT(google-build-using-namespace): the words of Poco

constexpr std::uintmax_t kQuickCheck = 64U * 1024 * 1024;
constexpr int kCarePages = 1'000;  // of the log, until they are taken over into the database
constexpr int kMostPages = 4'000;

const std::vector<Migration>& all_migrations() {
  static const std::vector<Migration> kAll = {
      {{
          "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
          "INSERT INTO counters (name, value) VALUES ('log', 0), ('version', 0)",
          ("CREATE TABLE logs (id BIGINT PRIMARY KEY, space TEXT NOT NULL, name TEXT NOT NULL, "
           "trimmed BIGINT NOT NULL, UNIQUE (space, name))"),
          ("CREATE TABLE entries (log BIGINT NOT NULL, sequence BIGINT NOT NULL, at_ms BIGINT NOT "
           "NULL, type TEXT NOT NULL, body TEXT NOT NULL, sum BIGINT NOT NULL, PRIMARY KEY (log, "
           "sequence))"),
          ("CREATE TABLE documents (space TEXT NOT NULL, collection TEXT NOT NULL, doc_key TEXT "
           "NOT NULL, version BIGINT NOT NULL, changed_ms BIGINT NOT NULL, body TEXT NOT NULL, sum "
           "BIGINT NOT NULL, PRIMARY KEY (space, collection, doc_key))"),
      }},
      {{}},  // a row of entries may hold several (entry_row.hpp), which version 1 does not know
  };
  return kAll;
}

Error no_access(const std::filesystem::path& file, const std::string& why) {
  return unavailable("the store cannot use " + file.string() + ": " + why,
                     "give the daemon the right to write there, or set store.path");
}

Poco::Data::Session open_session(const std::filesystem::path& file) {
  static std::once_flag registered;
  std::call_once(registered, [] {
    // Each session is used by one thread at a time, and nobody reads how much memory is in use, so
    // neither needs locks. When something else in the process was first with SQLite, they stay.
    sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite::Connector::registerConnector();
  });
  Poco::Data::Session session(sqlite::Connector::KEY, file.string());
  session << "PRAGMA busy_timeout = 5000", now;
  return session;
}

}  // namespace

SqliteBackend::SqliteBackend(std::filesystem::path file, IntegrityCheck check)
    : file_(std::move(file)), check_(check) {}

SqliteBackend::~SqliteBackend() {
  if (log_ >= 0) ::close(log_);
  if (lock_ >= 0) ::close(lock_);
}

Result<void> SqliteBackend::prepare() {
  std::error_code failure;
  const std::filesystem::path folder = file_.parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder, failure)) {
    std::filesystem::create_directories(folder, failure);
    if (failure) return no_access(folder, failure.message());
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
  }
  GANTRY_TRY(lock());
  // SQLite gives its other files the mode of this one.
  const int made = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (made < 0) return no_access(file_, std::strerror(errno));
  ::close(made);
  return check_integrity();
}

Result<void> SqliteBackend::lock() {
  if (lock_ >= 0) return {};
  const std::filesystem::path path = file_.string() + ".lock";
  const int opened = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (opened < 0) return no_access(path, std::strerror(errno));
  if (::flock(opened, LOCK_EX | LOCK_NB) != 0) {
    ::close(opened);
    return unavailable("another daemon uses the store " + file_.string(),
                       "stop it, or give this one a kernel.state_dir of its own");
  }
  lock_ = opened;
  return {};
}

Result<void> SqliteBackend::check_integrity() {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(file_, failure);
  if (check_ == IntegrityCheck::never) return {};
  if (check_ == IntegrityCheck::automatic && !failure && size > kQuickCheck) return {};
  return guarded(*this, [this]() -> Result<void> {
    Poco::Data::Session session = open_session(file_);
    std::string finding;
    session << "PRAGMA quick_check(1)", into(finding), now;
    if (finding == "ok") return {};
    return Error{Code::DataLoss, "the store " + file_.string() + " is damaged: " + finding, {}};
  });
}

Result<Poco::Data::Session> SqliteBackend::open_writer() {
  return guarded(*this, [this]() -> Result<Poco::Data::Session> {
    Poco::Data::Session session = open_session(file_);
    std::string mode;
    session << "PRAGMA journal_mode = WAL", into(mode), now;
    if (mode != "wal") {
      return unavailable(
          "the store's disk has no shared memory for a write-ahead log (" + file_.string() + ")",
          "set store.path to a local file system");
    }
    session << "PRAGMA synchronous = NORMAL", now;
    session << "PRAGMA journal_size_limit = 67108864", now;  // after a burst the log shrinks again
    struct stat opened {};
    if (::stat(file_.c_str(), &opened) != 0) return no_access(file_, std::strerror(errno));
    device_ = opened.st_dev;
    inode_ = opened.st_ino;
    watch_log(session);
    return session;
  });
}

/// Takes the place of SQLite's own checkpoints, which the writer would have to wait for.
void SqliteBackend::watch_log(const Poco::Data::Session& writer) {
  log_pages_ = 0;
  cared_pages_ = 0;
  sqlite3_wal_hook(
      sqlite::Utility::dbHandle(writer),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteBackend*>(self)->log_pages_.store(pages, std::memory_order_relaxed);
        return SQLITE_OK;
      },
      this);
}

/// A file that was deleted or replaced takes what is written all the same, and nobody finds it
/// again.
bool SqliteBackend::is_there() const {
  struct stat now {};
  if (::stat(file_.c_str(), &now) != 0) return errno != ENOENT && errno != ENOTDIR;
  return now.st_dev == device_ && now.st_ino == inode_;
}

Result<Poco::Data::Session> SqliteBackend::open_reader() {
  return guarded(*this, [this]() -> Result<Poco::Data::Session> {
    Poco::Data::Session session = open_session(file_);
    session << "PRAGMA query_only = ON", now;
    return session;
  });
}

std::unique_ptr<Prepared> SqliteBackend::statement(const Poco::Data::Session& session,
                                                   std::string_view sql) const {
  return std::make_unique<SqliteStatement>(session, sql);
}

const std::vector<Migration>& SqliteBackend::migrations() const { return all_migrations(); }

/// SQLite makes the log with the first use of the database. It holds no lock on it that closing it
/// here would end.
Result<void> SqliteBackend::open_log() {
  if (log_ >= 0) return {};
  const std::filesystem::path path = file_.string() + "-wal";
  log_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (log_ < 0) return no_access(path, std::strerror(errno));
  // The file's name is to be on the disk, too, as far as the file system can promise that.
  const std::filesystem::path folder = file_.has_parent_path() ? file_.parent_path() : ".";
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return {};
  (void)::fsync(opened);
  ::close(opened);
  return {};
}

bool SqliteBackend::flush(int file) { return ::fdatasync(file) == 0; }

/// A commit has written the log without waiting for the disk: the operating system has it, so the
/// end of this process loses nothing. A checkpoint that has taken over the log's pages meanwhile
/// has synced both files itself.
Result<void> SqliteBackend::sync() {
  const std::lock_guard lock(syncing_);
  GANTRY_TRY(open_log());
  // The operating system tells once that it could not write a page, and takes it for written then.
  // Nothing behind such a gap in the log outlives a power cut, so the log has to begin anew.
  if (log_has_gap_) {
    GANTRY_TRY(checkpoint(SQLITE_CHECKPOINT_TRUNCATE));
    log_has_gap_ = false;
  }
  if (flush(log_)) return {};
  const std::string why = std::strerror(errno);
  log_has_gap_ = true;
  return unavailable("the store's disk did not take " + file_.string() + "-wal: " + why,
                     "see whether the disk works and has room");
}

/// While commits go on the log seldom begins anew, because there is always something in it that the
/// database does not have yet. When it has grown that far they wait.
Backend::Care SqliteBackend::wants_care() {
  const int pages = log_pages_.load(std::memory_order_relaxed);
  if (pages < cared_pages_) cared_pages_ = 0;  // it has begun anew
  if (pages < cared_pages_ + kCarePages) return Care::none;
  cared_pages_ = pages;
  return pages >= kMostPages ? Care::before : Care::beside;
}

Result<void> SqliteBackend::care() { return checkpoint(SQLITE_CHECKPOINT_PASSIVE); }

/// Takes the log's pages over into the database.
Result<void> SqliteBackend::checkpoint(int mode) {
  const std::lock_guard lock(caring_);
  return guarded(*this, [&]() -> Result<void> {
    Poco::Data::Session session = open_session(file_);
    std::string journal;  // is read, or the session does not know that there is a log
    session << "PRAGMA journal_mode", into(journal), now;
    sqlite3* const database = sqlite::Utility::dbHandle(session);
    const int code = sqlite3_wal_checkpoint_v2(database, nullptr, mode, nullptr, nullptr);
    if (code == SQLITE_OK) return {};
    return unavailable(
        "the store " + file_.string() + " did not take over its log: " + sqlite3_errmsg(database),
        "see whether the disk works and has room");
  });
}

Error SqliteBackend::translate(const Poco::Exception& exception) const {
  const std::string said = "the store " + file_.string() + ": " + exception.displayText();
  const auto is = [&exception]<class E>(const E*) {
    return dynamic_cast<const E*>(&exception) != nullptr;
  };
  if (is(static_cast<sqlite::CorruptImageException*>(nullptr)) ||
      is(static_cast<sqlite::TableNotFoundException*>(nullptr)) ||
      is(static_cast<sqlite::DataTypeMismatchException*>(nullptr))) {
    return {
        Code::DataLoss, said + "; move the file away, or put a copy of it back that is whole", {}};
  }
  if (is(static_cast<sqlite::DatabaseFullException*>(nullptr))) {
    return {Code::ResourceExhausted, said + "; make room on the disk", R"({"reason":"disk"})"};
  }
  if (is(static_cast<sqlite::ConstraintViolationException*>(nullptr)) ||
      is(static_cast<sqlite::InvalidSQLStatementException*>(nullptr))) {
    return {Code::Internal, said, {}};
  }
  return unavailable(said, "see whether the disk works, is writable, and nobody else has the file");
}

}  // namespace gantry::store
