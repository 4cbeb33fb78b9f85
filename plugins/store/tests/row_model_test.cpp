// SPDX-License-Identifier: Apache-2.0
//
// Logs do what vectors of entries would, whatever is appended, trimmed, refused and read, and
// however the entries share rows. Pseudo-random, the same each time.
#include <gantry/testkit/temp_dir.hpp>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "sqlite_backend.hpp"
#include "store.hpp"

namespace gantry::store {
namespace {

struct ModelLog {
  std::vector<StoreEntry> all;  // that were ever appended
  std::int64_t trimmed = 0;
  [[nodiscard]] std::int64_t last() const { return std::ssize(all); }
};
using Model = std::array<ModelLog, 3>;

/// What one operation asks for, and what it must answer.
struct Plan {
  std::vector<StoreAppendRequest> appends;  // none: trim
  StoreTrimLogRequest trim;
  Code code = Code::Ok;
  std::int64_t removed = 0;
};

struct Dice {
  std::mt19937 random;
  std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(random()) % count; }
  bool one_in(std::int64_t count) { return below(count) == 0; }
};

Plan trim(Dice& dice, Model& model) {
  const auto number = static_cast<std::size_t>(dice.below(std::ssize(model)));
  ModelLog& log = model[number];
  Plan plan{{}, {std::to_string(number), dice.below(log.last() + 3) - 1, dice.one_in(8)}};
  const std::int64_t before = std::exchange(
      log.trimmed,
      plan.trim.forget ? log.last() : std::clamp(plan.trim.through, log.trimmed, log.last()));
  plan.removed = log.trimmed - before;
  if (plan.trim.forget) log = {};
  return plan;
}

StoreEntry any_entry(Dice& dice) {
  static const std::vector<std::string> kTypes = {
      "note", "12 x", "3", " 1 a", "7 gr\xC3\xB6\xC3\x9F!", "\xC2\x85", std::string(128, 'y')};
  const std::int64_t most = dice.one_in(20) ? 5'000 : dice.one_in(3) ? 1'100 : 60;
  std::string body(static_cast<std::size_t>(dice.below(dice.one_in(5) ? 2 : most)), ' ');
  for (char& c : body) c = "0123 \n\"\\"[dice.below(8)];
  return {kTypes[static_cast<std::size_t>(dice.below(std::ssize(kTypes)))], Json(body)};
}

/// To all logs; when one of them does not end where it is expected to, to none.
Plan append(Dice& dice, Model& model) {
  Model next = model;
  Plan plan;
  for (std::size_t i = 0; i < next.size(); ++i) {
    StoreAppendRequest request{std::to_string(i), {}, {}, false};
    if (dice.one_in(4)) request.expect_last = next[i].last() + (dice.one_in(3) ? 1 : 0);
    if (request.expect_last > next[i].last()) plan.code = Code::Aborted;
    for (std::int64_t left = dice.below(dice.one_in(9) ? 70 : 8); left > 0; --left) {
      next[i].all.push_back(request.entries.emplace_back(any_entry(dice)));
    }
    plan.appends.push_back(std::move(request));
  }
  if (plan.code == Code::Ok) model = std::move(next);
  return plan;
}

/// A store whose commits fail when one of their entries is of the type `poison`.
std::unique_ptr<Store> open(const testkit::TempDir& folder) {
  const auto file = folder.path() / "store.db";
  auto opened = Store::open(std::make_unique<SqliteBackend>(file));
  REQUIRE(opened.ok());
  SqliteBackend backend(file);
  auto session = backend.open_writer();
  REQUIRE(session.ok());
  execute(
      *backend.statement(*session,
                         "CREATE TRIGGER IF NOT EXISTS t BEFORE INSERT ON entries WHEN NEW.type "
                         "= 'poison' BEGIN SELECT RAISE(ABORT, 'poison'); END"));
  return std::move(*opened);
}

/// All in one transaction.
void commit(Store& store, const std::vector<Plan>& plans, bool fails) {
  std::vector<WriteOperation> operations(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    operations[i].space = "engine";
    operations[i].appends = plans[i].appends;
    if (plans[i].appends.empty()) operations[i].trim = &plans[i].trim;
    operations[i].done = [&plan = plans[i], fails](const Result<WriteAnswer>& got) {
      const Code code = got.ok() ? Code::Ok : got.error().code;
      CHECK((fails ? code != Code::Ok : code == plan.code));
      if (got.ok()) CHECK(got->trimmed == plan.removed);
    };
  }
  store.commit(operations, 1000);
}

void read(Store& store, Dice& dice, const Model& model) {
  const auto number = static_cast<std::size_t>(dice.below(std::ssize(model)));
  const ModelLog& log = model[number];
  const auto limit = static_cast<std::int32_t>(1 + dice.below(dice.one_in(2) ? 5 : 200));
  const bool newest = dice.one_in(2);
  const std::int64_t asked = dice.below(log.last() + 3);
  const auto page =
      store.readers().read_log("engine", {std::to_string(number), asked, limit, newest});
  const std::int64_t after = std::clamp(asked, log.trimmed, log.last());
  const std::int64_t count = std::min<std::int64_t>(limit, log.last() - after);
  REQUIRE(page.ok());
  CHECK(page->last == log.last());
  CHECK(page->first == (log.last() > log.trimmed ? log.trimmed + 1 : 0));
  CHECK(page->more == (count < log.last() - after));
  REQUIRE(std::ssize(page->entries) == count);
  std::int64_t sequence = newest ? log.last() - count : after;
  for (const StoredEntry& entry : page->entries) {
    const StoreEntry& given = log.all[static_cast<std::size_t>(sequence++)];
    REQUIRE((entry.sequence == sequence && entry.type == given.type && entry.body == given.body));
  }
}

TEST_CASE("logs do what vectors of entries do") {
  const auto seed = GENERATE(1U, 2U);
  const testkit::TempDir folder;
  std::unique_ptr<Store> store = open(folder);
  Model model;
  Dice dice{std::mt19937(seed)};
  for (int turn = 0; turn < 150; ++turn) {
    INFO(turn);
    Model next = model;
    std::vector<Plan> plans;
    for (std::int64_t left = dice.below(4); left >= 0; --left) {
      plans.push_back(dice.one_in(4) ? trim(dice, next) : append(dice, next));
    }
    const bool fails = dice.one_in(9);
    if (fails) plans.push_back({{{"1", {{"poison", Json("1")}}, {}, false}}, {}});
    commit(*store, plans, fails);
    if (!fails) model = std::move(next);
    for (int i = 0; i < 5; ++i) read(*store, dice, model);
    if (!dice.one_in(20)) continue;
    store.reset();
    store = open(folder);
  }
}

}  // namespace
}  // namespace gantry::store
