// SPDX-License-Identifier: Apache-2.0
//
// Prepared statements of SQLite: what goes in comes out, and what fails can be run again.
#include <gantry/testkit/temp_dir.hpp>

#include <Poco/Data/DataException.h>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "sqlite_backend.hpp"

namespace gantry::store {
namespace {

/// A database with one table, and the statements for it.
struct Table {
  Table()
      : backend(folder.path() / "store.db"),
        session(open()),
        insert(backend.statement(session, "INSERT INTO things (name, number) VALUES ($1, $2)")),
        select(backend.statement(session,
                                 "SELECT name, number FROM things WHERE number >= $1 ORDER BY "
                                 "number")) {}

  Poco::Data::Session open() {
    REQUIRE(backend.prepare().ok());
    auto opened = backend.open_writer();
    REQUIRE(opened.ok());
    execute(*backend.statement(
        *opened, "CREATE TABLE things (name TEXT NOT NULL UNIQUE, number BIGINT NOT NULL)"));
    return *opened;
  }

  testkit::TempDir folder;
  SqliteBackend backend;
  Poco::Data::Session session;
  std::unique_ptr<Prepared> insert;
  std::unique_ptr<Prepared> select;
};

TEST_CASE("a prepared statement is run again and again, with whatever is in its texts") {
  Table table;
  const std::string with_zero("a\0b", 3);
  const std::int64_t large = std::int64_t{1} << 62;
  execute(*table.insert, with_zero, std::int64_t{1});
  execute(*table.insert, std::string_view(), std::int64_t{2});
  execute(*table.insert,
          std::string("gr\xC3\xB6\xC3\x9F"
                      "er"),
          large);
  Run rows(*table.select, std::int64_t{0});
  REQUIRE(rows.next());
  CHECK(rows.text(0) == with_zero);
  CHECK(rows.number(1) == 1);
  REQUIRE(rows.next());
  CHECK(rows.text(0).empty());
  REQUIRE(rows.next());
  CHECK(rows.number(1) == large);
  CHECK_FALSE(rows.next());
}

TEST_CASE("a run that is left early keeps nothing of it for the next") {
  Table table;
  execute(*table.insert, std::string("one"), std::int64_t{1});
  execute(*table.insert, std::string("two"), std::int64_t{2});
  {
    Run rows(*table.select, std::int64_t{0});
    REQUIRE(rows.next());
  }
  Run rows(*table.select, std::int64_t{2});
  REQUIRE(rows.next());
  CHECK(rows.text(0) == "two");
  CHECK_FALSE(rows.next());
}

TEST_CASE("a statement that failed throws what the backend can translate, and runs again") {
  Table table;
  execute(*table.insert, std::string("one"), std::int64_t{1});
  Error told;
  try {
    execute(*table.insert, std::string("one"), std::int64_t{2});
  } catch (const Poco::Exception& exception) {
    told = table.backend.translate(exception);
  }
  CHECK(told.code == Code::Internal);
  CHECK(told.message.find("things.name") != std::string::npos);
  CHECK_NOTHROW(execute(*table.insert, std::string("two"), std::int64_t{2}));
  CHECK_THROWS_AS(table.backend.statement(table.session, "SELECT nonsense"), Poco::Exception);
}

}  // namespace
}  // namespace gantry::store
