// SPDX-License-Identifier: Apache-2.0
//
// Entries that were appended together share rows; nobody who reads, trims or upgrades sees that.
#include <gantry/testkit/temp_dir.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "entry_row.hpp"
#include "schema.hpp"
#include "sqlite_backend.hpp"
#include "store.hpp"

namespace gantry::store {
namespace {

using Texts = std::vector<std::string>;

Texts unpacked(std::string_view type, std::string_view body) {
  std::vector<EntryView> entries;
  unpack({type, body}, entries);
  Texts out;
  for (const EntryView& entry : entries) {
    out.push_back(std::string(entry.type) + "=" + std::string(entry.body));
  }
  return out;
}

TEST_CASE("entries that are packed into a row come out as they were") {
  EntryPacker packer;
  packer.add("note", "1");
  CHECK(packer.columns().type == "note");
  CHECK(packer.columns().body == "1");
  packer.add("two words", "{\"a\":\n12}");
  packer.add(
      "7 gr\xC3\xB6\xC3\x9F"
      "er",
      std::string_view("\0\"", 2));
  const EntryView row = packer.columns();
  CHECK(packer.count() == 3);
  CHECK(unpacked(row.type, row.body) == Texts{"note=1", "two words={\"a\":\n12}",
                                              "7 gr\xC3\xB6\xC3\x9F"
                                              "er=" +
                                                  std::string("\0\"", 2)});
  packer.clear();
  packer.add("again", "2");
  CHECK(unpacked(packer.columns().type, packer.columns().body) == Texts{"again=2"});
}

TEST_CASE("a row takes entries until it is full, and a large one has a row of its own") {
  EntryPacker packer;
  const std::string large(kFullRow * 2, 'x');
  CHECK(packer.fits("note", large));
  packer.add("note", large);
  CHECK_FALSE(packer.fits("note", "1"));
  packer.clear();
  packer.add("note", "1");
  CHECK(packer.fits("note", "1"));
  CHECK_FALSE(packer.fits("note", large));
}

TEST_CASE("columns that do not fit together are no entries") {
  CHECK(unpacked("1 a\n1 b\n", "12") == Texts{"a=1", "b=2"});
  for (const auto& [types, bodies] :
       std::vector<std::pair<std::string, std::string>>{{"1 a\n1 b\n", "1"},
                                                        {"1 a\n1 b\n", "123"},
                                                        {"1 a\n1 b", "12"},
                                                        {"1 a\n\n", "1"},
                                                        {"1 a\nx b\n", "1"},
                                                        {"1 a\n-1 b\n", "1"},
                                                        {"1a\n", "1"},
                                                        {"1\n", "1"},
                                                        {" a\n", ""},
                                                        {"99999999999999999999 a\n", "1"}}) {
    INFO(types);
    CHECK(unpacked(types, bodies).empty());
  }
}

/// A store, and the database behind it.
class Rows {
 public:
  Rows() { open(); }

  void open() {
    store_.reset();
    auto opened = Store::open(std::make_unique<SqliteBackend>(file()));
    REQUIRE(opened.ok());
    store_ = std::move(*opened);
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "store.db"; }

  std::int64_t append(const Texts& bodies) {
    StoreAppendRequest request{"s1", {}, {}, false};
    for (const std::string& body : bodies) request.entries.push_back({"note", Json(body)});
    WriteOperation operation;
    operation.appends = {&request, 1};
    return commit(std::move(operation)).written.appended.at(0).last;
  }
  std::int64_t trim(std::int64_t through) {
    const StoreTrimLogRequest request{"s1", through, false};
    WriteOperation operation;
    operation.trim = &request;
    return commit(std::move(operation)).trimmed;
  }
  std::int64_t put(const std::string& key) {
    const StoreChange change{"notes", key, Json("1"), {}};
    WriteOperation operation;
    operation.changes = {&change, 1};
    return commit(std::move(operation)).written.versions.at(0);
  }
  Result<StoreLogPage> read(std::int64_t after, std::int32_t limit, bool newest) {
    return store_->readers().read_log("engine", {"s1", after, limit, newest});
  }
  /// Asks the database, or changes it behind the store's back.
  std::int64_t sql(const std::string& statement) {
    SqliteBackend backend(file());
    auto session = backend.open_writer();
    REQUIRE(session.ok());
    const auto prepared = backend.statement(*session, statement);
    Run run(*prepared);
    return run.next() ? run.number(0) : 0;
  }

 private:
  WriteAnswer commit(WriteOperation operation) {
    WriteAnswer answer;
    operation.space = "engine";
    operation.done = [&answer](Result<WriteAnswer> got) {
      REQUIRE(got.ok());
      answer = std::move(*got);
    };
    store_->commit({&operation, 1}, 1000);
    return answer;
  }

  testkit::TempDir folder_;
  std::unique_ptr<Store> store_;
};

Texts bodies(const StoreLogPage& page) {
  Texts out;
  for (const StoredEntry& entry : page.entries) out.push_back(entry.body.text);
  return out;
}

/// The entries `first` to `last` of `all`, counted from 1.
Texts part(const Texts& all, std::int64_t first, std::int64_t last) {
  return {all.begin() + std::min(first - 1, last), all.begin() + last};
}

TEST_CASE("pages begin and end anywhere in the rows, from either end") {
  Rows world;
  Texts all;
  for (const std::size_t count : std::vector<std::size_t>{1, 5, 2, 12}) {
    Texts more;
    for (std::size_t i = 0; i < count; ++i) {
      more.push_back('"' + std::to_string(all.size() + i) + std::string(i * 90, 'x') + '"');
    }
    all.insert(all.end(), more.begin(), more.end());
    CHECK(world.append(more) == std::ssize(all));
  }
  const std::int64_t rows = world.sql("SELECT COUNT(*) FROM entries");
  CHECK(rows > 4);  // the last were too much for one
  CHECK(rows < 12);
  const std::int64_t last = std::ssize(all);
  for (std::int64_t after = 0; after <= last; ++after) {
    for (std::int32_t limit = 1; limit <= last; ++limit) {
      INFO(after << " " << limit);
      const auto first = world.read(after, limit, false);
      REQUIRE(first.ok());
      CHECK(bodies(*first) == part(all, after + 1, std::min<std::int64_t>(after + limit, last)));
      CHECK(first->more == (after + limit < last));
      const auto newest = world.read(after, limit, true);
      REQUIRE(newest.ok());
      CHECK(bodies(*newest) == part(all, std::max<std::int64_t>(after, last - limit) + 1, last));
    }
  }
}

TEST_CASE("what is trimmed within a row is gone, the others keep their numbers, and it goes on") {
  const std::int64_t through = GENERATE(1, 2, 3, 4, 5, 6, 7, 8);
  Rows world;
  const Texts all = {"\"secret1\"", "\"secret2\"", "\"secret3\"", "\"secret4\"",
                     "\"secret5\"", "\"secret6\"", "\"secret7\"", "\"secret8\""};
  world.append(part(all, 1, 4));
  world.append(part(all, 5, 8));
  CHECK(world.trim(1) == 1);
  CHECK(world.trim(through) == through - 1);
  for (std::int64_t i = 1; i <= 8; ++i) {
    INFO(i);
    const std::string statement =
        "SELECT COUNT(*) FROM entries WHERE body LIKE '%secret" + std::to_string(i) + "%'";
    CHECK(world.sql(statement) == (i > through ? 1 : 0));
  }
  world.open();
  const auto page = world.read(0, 100, false);
  REQUIRE(page.ok());
  CHECK(bodies(*page) == part(all, through + 1, 8));
  CHECK(page->first == (through < 8 ? through + 1 : 0));
  CHECK(world.append({"\"next\"", "\"more\""}) == 10);
  CHECK(bodies(*world.read(8, 100, false)) == Texts{"\"next\"", "\"more\""});
}

TEST_CASE("the least and the greatest number are no entries, and nothing is counted from there") {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  Rows world;
  world.append({"1", "2", "3"});
  CHECK(world.trim(1) == 1);
  CHECK(world.trim(kLeast) == 0);
  for (const bool newest : {false, true}) {
    CHECK(bodies(*world.read(kLeast, 10, newest)) == Texts{"2", "3"});
    CHECK(world.read(kGreatest, 10, newest)->entries.empty());
  }
  CHECK(world.trim(kGreatest) == 2);
}

TEST_CASE("a row that is not what was written is data_loss, and trimming makes it no better") {
  const auto damage = GENERATE(as<std::string>{}, "UPDATE entries SET body = '1239'",
                               "UPDATE entries SET type = replace(type, 'note', 'nose')",
                               "UPDATE entries SET type = '4 note'",
                               "UPDATE entries SET type = '1 note' || char(10) || '3 note' || "
                               "char(10)");
  Rows world;
  world.append({"1", "2", "3", "4"});
  world.sql(damage);
  const auto check = [&world](std::int64_t after) {
    for (const bool newest : {false, true}) {
      const auto page = world.read(after, 1, newest);
      REQUIRE_FALSE(page.ok());
      CHECK(page.error().code == Code::DataLoss);
    }
  };
  check(0);
  CHECK(world.trim(2) == 2);
  check(2);
  CHECK(world.trim(4) == 2);
  CHECK(world.read(0, 10, false)->entries.empty());
}

TEST_CASE("a row behind one that is missing stays whole when others are trimmed") {
  Rows world;
  world.append({"1", "2", "3", "4"});
  world.append({"5", "6"});
  world.sql("DELETE FROM entries WHERE sequence = 4");
  CHECK(world.trim(2) == 2);
  CHECK(world.read(0, 10, false).error().code == Code::DataLoss);
  CHECK(bodies(*world.read(4, 10, false)) == Texts{"5", "6"});
}

TEST_CASE("numbers are reserved, none is given twice, and few transactions write how far") {
  Rows world;
  std::int64_t last = world.put("a");
  const std::string reserved = "SELECT value FROM counters WHERE name = 'version'";
  const std::int64_t stored = world.sql(reserved);
  CHECK(stored > last);
  for (int i = 0; i < 10; ++i) {
    const std::int64_t next = world.put("a");
    CHECK(next > last);
    last = next;
  }
  CHECK(world.sql(reserved) == stored);
  for (int i = 0; last <= stored && i < 2'000; ++i) last = world.put("a");
  CHECK(world.sql(reserved) > last);
  world.open();
  CHECK(world.put("a") > last);
}

/// As version 1 wrote it, sums and all.
TEST_CASE(
    "the rows of version 1, an entry each, are read and trimmed, and rows of several follow") {
  Rows world;
  {
    const SqliteBackend known(world.file());
    world.sql("DROP TABLE schema_version");
    for (const char* table : {"counters", "logs", "entries", "documents"}) {
      world.sql(std::string("DROP TABLE ") + table);
    }
    for (const std::string& statement : known.migrations().at(0).statements) world.sql(statement);
  }
  for (const char* statement : {
           "CREATE TABLE schema_version (version BIGINT NOT NULL)",
           "INSERT INTO schema_version (version) VALUES (1)",
           "UPDATE counters SET value = 1 WHERE name = 'log'",
           "INSERT INTO logs (id, space, name, trimmed) VALUES (1, 'engine', 's1', 0)",
           "INSERT INTO entries VALUES (1, 1, 1000, 'note', '1', 2662803517)",
           "INSERT INTO entries VALUES (1, 2, 1000, 'note', '\"two\"', 3863486886)",
       }) {
    world.sql(statement);
  }
  world.open();
  CHECK(world.sql("SELECT version FROM schema_version") == 2);
  CHECK(bodies(*world.read(0, 10, false)) == Texts{"1", "\"two\""});
  CHECK(world.append({"3", "4"}) == 4);
  CHECK(world.sql("SELECT COUNT(*) FROM entries") == 3);
  CHECK(bodies(*world.read(1, 2, false)) == Texts{"\"two\"", "3"});
  CHECK(bodies(*world.read(0, 3, true)) == Texts{"\"two\"", "3", "4"});
  CHECK(world.trim(3) == 3);
  CHECK(bodies(*world.read(0, 10, false)) == Texts{"4"});
}

}  // namespace
}  // namespace gantry::store
