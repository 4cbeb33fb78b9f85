// SPDX-License-Identifier: Apache-2.0
//
// What a store is for: what was answered is there, whatever happens, and what is damaged says so.
#include <gantry/testkit/temp_dir.hpp>

#include <Poco/Data/SQLite/Connector.h>
#include <Poco/Data/Statement.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "schema.hpp"
#include "sqlite_backend.hpp"
#include "store.hpp"

namespace gantry::store {
namespace {

using namespace Poco::Data::Keywords;  // NOLINT(google-build-using-namespace): the words of Poco

Result<std::unique_ptr<Store>> open(const std::filesystem::path& file,
                                    IntegrityCheck check = IntegrityCheck::automatic) {
  return Store::open(std::make_unique<SqliteBackend>(file, check));
}

Result<WriteAnswer> write(Store& store, const StoreAppendRequest& request) {
  Result<WriteAnswer> answer(internal_error("no answer"));
  WriteOperation operation;
  operation.space = "engine";
  operation.appends = {&request, 1};
  operation.done = [&answer](Result<WriteAnswer> got) { answer = std::move(got); };
  store.commit({&operation, 1}, 1000);
  if (request.sync && answer.ok()) GANTRY_TRY(store.sync());
  return answer;
}

StoreAppendRequest note(std::string body, bool sync = false) {
  return {"s1", {{"note", Json(std::move(body))}}, std::nullopt, sync};
}

Result<StoreLogPage> read(Store& store) {
  return store.readers().read_log("engine", {"s1", 0, 1000, false});
}

/// Changes the database behind the store's back.
void tamper(const std::filesystem::path& file, const std::string& statement) {
  Poco::Data::SQLite::Connector::registerConnector();
  Poco::Data::Session session("SQLite", file.string());
  session << statement, now;
}

/// Appends until it is killed, and tells of every answer by one byte.
[[noreturn]] void append_for_ever(const std::filesystem::path& file, int told) {
  auto store = open(file);
  if (!store.ok()) ::_exit(1);
  while (write(**store, note(R"({"text":"hello"})", true)).ok()) {
    if (::write(told, "x", 1) != 1) ::_exit(1);
  }
  ::_exit(1);
}

TEST_CASE("a process that is killed loses nothing that was answered") {
  const testkit::TempDir folder;
  const std::filesystem::path file = folder.path() / "store.db";
  std::int64_t answered = 0;
  for (const int kill_after : {1, 5, 40, 13}) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) append_for_ever(file, ends[1]);
    ::close(ends[1]);
    char byte = 0;
    for (int i = 0; i < kill_after; ++i) REQUIRE(::read(ends[0], &byte, 1) == 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    answered += kill_after;
    while (::read(ends[0], &byte, 1) == 1) ++answered;
    ::close(ends[0]);

    auto store = open(file);
    REQUIRE(store.ok());
    const auto page = read(**store);
    REQUIRE(page.ok());
    CHECK(page->last >= answered);  // one may have been written and not told of
    answered = page->last;
  }
}

/// Ends the process, as a kill would, in place of the third row that it is to write.
class Mortal final : public SqliteBackend {
 public:
  using SqliteBackend::SqliteBackend;

  std::unique_ptr<Prepared> statement(const Poco::Data::Session& session,
                                      std::string_view sql) const override {
    auto real = SqliteBackend::statement(session, sql);
    if (!sql.starts_with("INSERT INTO entries")) return real;
    return std::make_unique<Insert>(std::move(real));
  }

 private:
  class Insert final : public Prepared {
   public:
    explicit Insert(std::unique_ptr<Prepared> real) : real_(std::move(real)) {}
    void bind(int parameter, std::int64_t value) override { real_->bind(parameter, value); }
    void bind(int parameter, std::string_view value) override { real_->bind(parameter, value); }
    bool step() override {
      if (++rows_ == 3) ::_exit(9);
      return real_->step();
    }
    std::int64_t number(int column) override { return real_->number(column); }
    std::string_view text(int column) override { return real_->text(column); }
    void reset() noexcept override { real_->reset(); }

   private:
    std::unique_ptr<Prepared> real_;
    int rows_ = 0;
  };
};

TEST_CASE("of entries that go together a process that ends meanwhile leaves all or none") {
  const testkit::TempDir folder;
  const std::filesystem::path file = folder.path() / "store.db";
  REQUIRE(write(**open(file), note("1")).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    auto store = Store::open(std::make_unique<Mortal>(file));
    StoreAppendRequest many = note("2");
    many.entries.resize(500, many.entries.front());
    if (store.ok()) (void)write(**store, many);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WEXITSTATUS(status) == 9);
  auto store = open(file);
  REQUIRE(store.ok());
  CHECK(read(**store)->last == 1);
  CHECK(write(**store, note("2")).ok());
}

TEST_CASE("a second daemon is kept away from the store") {
  const testkit::TempDir folder;
  const auto first = open(folder.path() / "store.db");
  REQUIRE(first.ok());
  const auto second = open(folder.path() / "store.db");
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == Code::Unavailable);
  CHECK(second.error().message.find("another daemon") != std::string::npos);
}

TEST_CASE("only the owner may read the store") {
  const testkit::TempDir folder;
  const auto store = open(folder.path() / "state" / "store.db");
  REQUIRE(store.ok());
  REQUIRE(write(**store, note("1")).ok());
  using std::filesystem::perms;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "state")) {
    INFO(entry.path());
    CHECK((entry.status().permissions() & (perms::group_all | perms::others_all)) == perms::none);
  }
}

TEST_CASE("a file that is no database is data_loss") {
  const testkit::TempDir folder;
  const auto file = folder.write("store.db", std::string(8192, 'z'));
  for (const IntegrityCheck check : {IntegrityCheck::always, IntegrityCheck::never}) {
    const auto store = open(file, check);
    REQUIRE_FALSE(store.ok());
    CHECK(store.error().code == Code::DataLoss);
  }
}

TEST_CASE("a file that was cut off is data_loss") {
  const testkit::TempDir folder;
  const auto file = folder.path() / "store.db";
  {
    auto store = open(file);
    REQUIRE(store.ok());
    REQUIRE(write(**store, note(R"({"text":")" + std::string(100'000, 'x') + "\"}")).ok());
  }
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  CHECK(open(file).error().code == Code::DataLoss);
  // Not looked through, it is found when the torn part is read.
  auto store = open(file, IntegrityCheck::never);
  if (store.ok()) {
    CHECK(read(**store).error().code == Code::DataLoss);
  } else {
    CHECK(store.error().code == Code::DataLoss);
  }
}

TEST_CASE("a text that has changed, and an entry that is missing, are data_loss") {
  const testkit::TempDir folder;
  const auto file = folder.path() / "store.db";
  const auto damage =
      GENERATE(as<std::string>{}, "UPDATE entries SET body = '2' WHERE sequence = 2",
               "UPDATE entries SET type = 'other' WHERE sequence = 2",
               "DELETE FROM entries WHERE sequence = 2");
  {
    auto store = open(file);
    REQUIRE(store.ok());
    for (int i = 0; i < 3; ++i) REQUIRE(write(**store, note("1")).ok());
  }
  tamper(file, damage);
  auto store = open(file);
  REQUIRE(store.ok());
  const auto page = read(**store);
  REQUIRE_FALSE(page.ok());
  CHECK(page.error().code == Code::DataLoss);
  CHECK(page.error().message.find("entry 2 of the log s1") != std::string::npos);
}

/// What `work` answers while no file may grow beyond 128 KiB.
template <class F>
auto without_room(const F& work) {
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  struct rlimit small = before;
  small.rlim_cur = 128 * 1024;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  auto answer = work();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  return answer;
}

TEST_CASE("a disk without room is told, nothing is half written, and later it goes on") {
  const testkit::TempDir folder;
  auto store = open(folder.path() / "store.db");
  REQUIRE(store.ok());
  REQUIRE(write(**store, note("1")).ok());

  const auto refused =
      without_room([&] { return write(**store, note("\"" + std::string(1'000'000, 'x') + "\"")); });

  REQUIRE_FALSE(refused.ok());
  const bool typed =
      refused.error().code == Code::ResourceExhausted || refused.error().code == Code::Unavailable;
  CHECK(typed);
  REQUIRE(write(**store, note("2")).ok());
  const auto page = read(**store);
  REQUIRE(page.ok());
  CHECK(page->entries.size() == 2);
}

TEST_CASE("a log that cannot be taken over is told, and is taken over later") {
  const testkit::TempDir folder;
  auto store = open(folder.path() / "store.db");
  REQUIRE(store.ok());
  REQUIRE(write(**store, note("\"" + std::string(1'000'000, 'x') + "\"")).ok());
  CHECK_FALSE(without_room([&] { return (*store)->care(); }).ok());
  CHECK((*store)->care().ok());
}

/// Refuses to be waited for once it is told so, and works again.
class Forgetful final : public SqliteBackend {
 public:
  Forgetful(std::filesystem::path file, bool& fails)
      : SqliteBackend(std::move(file)), fails_(fails) {}

 private:
  bool flush(int file) override {
    if (!std::exchange(fails_, false)) return SqliteBackend::flush(file);
    errno = EIO;
    return false;
  }

  bool& fails_;
};

TEST_CASE("what is synced after the disk has refused does not rely on what it has refused") {
  const testkit::TempDir folder;
  const auto file = folder.path() / "store.db";
  bool fails = false;
  auto store = Store::open(std::make_unique<Forgetful>(file, fails));
  REQUIRE(store.ok());
  REQUIRE(write(**store, note("1", true)).ok());
  fails = true;
  CHECK_FALSE(write(**store, note("2", true)).ok());
  REQUIRE(write(**store, note("3", true)).ok());
  // The log may have a gap now, so none of it is needed.
  const auto copy = folder.path() / "copy.db";
  std::filesystem::copy_file(file, copy);
  auto copied = open(copy);
  REQUIRE(copied.ok());
  const auto page = read(**copied);
  REQUIRE(page.ok());
  CHECK(page->entries.size() == 3);
  REQUIRE(write(**store, note("4", true)).ok());
  CHECK(read(**store)->entries.size() == 4);
}

TEST_CASE("the tables of every version come up to the newest, with what is in them") {
  const testkit::TempDir folder;
  const SqliteBackend known(folder.path() / "unused.db");
  for (int from = 0; from <= static_cast<int>(known.migrations().size()); ++from) {
    const auto file = folder.path() / ("from" + std::to_string(from) + ".db");
    {
      SqliteBackend backend(file);
      REQUIRE(backend.prepare().ok());
      auto session = backend.open_writer();
      REQUIRE(session.ok());
      REQUIRE(migrate(backend, *session, from).ok());
      CHECK(*schema_version(backend, *session) == from);
      if (from > 0) {
        Writer writer(backend, *session);
        const StoreAppendRequest request = note("1");
        WriteOperation operation;
        operation.space = "engine";
        operation.appends = {&request, 1};
        operation.done = [](const Result<WriteAnswer>& answer) { REQUIRE(answer.ok()); };
        writer.commit({&operation, 1}, 1000);
      }
    }
    auto store = open(file);
    REQUIRE(store.ok());
    CHECK(read(**store)->last == (from > 0 ? 1 : 0));
    CHECK(write(**store, note("2")).ok());
  }
}

TEST_CASE("a store of a newer program is not touched") {
  const testkit::TempDir folder;
  const auto file = folder.path() / "store.db";
  REQUIRE(open(file).ok());
  tamper(file, "UPDATE schema_version SET version = 99");
  const auto store = open(file);
  REQUIRE_FALSE(store.ok());
  CHECK(store.error().code == Code::FailedPrecondition);
}

}  // namespace
}  // namespace gantry::store
