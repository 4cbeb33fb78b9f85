// SPDX-License-Identifier: Apache-2.0
// What happens to a session's log when the store could not write or sync it.
#include "journal_world.hpp"

namespace gantry::agent {
namespace {

using testing::Notes;
using JournalWorld = testing::World;

const Error kFull{Code::ResourceExhausted, "full", {}};
const Error kAborted{Code::Aborted, "not there", {}};

TEST_CASE("what was written behind a sync that failed has failed with it") {
  JournalWorld world;
  world.accept();
  world.pump();
  world.add(EventKind::TextDelta);
  world.journal->when_written(world.noting("written"));
  world.pump();
  world.answer(1);
  world.answer(0, kFull);
  CHECK(world.notes == Notes{"broken: full", "accepted: full", "written: full"});
  CHECK(world.texts.empty());
  REQUIRE(world.journal->failure());
  world.accept();
  world.pump();
  CHECK(world.asked.size() == 2);
  CHECK(world.notes.back() == "accepted: full");
  CHECK(world.journal->idle());
}

TEST_CASE("the first failure is told, although those that follow from it are answered before") {
  JournalWorld world;
  world.accept();
  world.pump();
  world.add(EventKind::TextDelta);
  world.pump();
  world.answer(1, kAborted);
  CHECK(world.notes.empty());
  world.answer(0, kFull);
  CHECK(world.notes == Notes{"broken: full", "accepted: full"});
}

TEST_CASE("a commit that was not written has failed, whatever its sync says") {
  JournalWorld world;
  world.add(EventKind::TextDelta);
  world.commit("finished");
  world.pump();
  world.answer(0, kFull);
  CHECK(world.notes.empty());
  world.answer(1);
  CHECK(world.notes == Notes{"broken: full", "finished: full"});
  CHECK(world.journal->last() == 0);
}

TEST_CASE("a commit whose sync fails has failed, although its deltas were told") {
  JournalWorld world;
  world.add(EventKind::TextDelta);
  world.add(EventKind::TurnFinished);
  world.commit("finished");
  world.pump();
  world.answer(0);
  world.answer(1, kFull);
  CHECK(world.notes == Notes{"told 1", "broken: full", "finished: full"});
  CHECK(world.journal->last() == 1);
}

TEST_CASE(
    "after a failure nobody is answered, and nothing is idle, before the store owes nothing") {
  JournalWorld world;
  world.accept();
  world.pump();
  world.add(EventKind::TextDelta);
  world.pump();
  world.answer(0, kFull);
  world.commit("late");
  world.pump();
  CHECK(world.notes == Notes{"broken: full", "accepted: full"});
  CHECK_FALSE(world.journal->idle());
  world.answer(1);
  CHECK(world.notes == Notes{"broken: full", "accepted: full", "late: full"});
  CHECK(world.journal->idle());
  CHECK(world.asked.size() == 2);
}

}  // namespace
}  // namespace gantry::agent
