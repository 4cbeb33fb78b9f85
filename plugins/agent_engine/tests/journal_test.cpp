// SPDX-License-Identifier: Apache-2.0
#include "journal_world.hpp"

namespace gantry::agent {
namespace {

using testing::ask;
using testing::Asked;
using testing::kNoSync;
using testing::kSync;
using testing::Notes;
using JournalWorld = testing::World;

TEST_CASE("a delta is written while what was before it waits for the disk, and told after that") {
  JournalWorld world;
  world.accept();
  world.pump();
  REQUIRE(world.asked == std::vector<Asked>{ask(1, 1, 0, kSync)});
  world.add(EventKind::TurnStarted);
  world.add(EventKind::TextDelta);
  world.pump();
  REQUIRE(world.asked.size() == 2);
  CHECK(world.asked[1] == ask(2, 0, 1, kNoSync));
  world.answer(1);
  CHECK(world.notes.empty());
  CHECK(world.journal->last() == 0);
  world.answer(0);
  CHECK(world.notes == Notes{"told 1", "accepted", "told 2 to 3"});
  CHECK(world.journal->last() == 3);
  CHECK(world.asked.size() == 2);
}

TEST_CASE("a delta that is not written yet when the disk is done is told when it is written") {
  JournalWorld world;
  world.accept();
  world.pump();
  world.add(EventKind::TextDelta);
  world.pump();
  world.answer(0);
  CHECK(world.notes == Notes{"told 1", "accepted"});
  world.answer(1);
  CHECK(world.notes == Notes{"told 1", "accepted", "told 2"});
}

TEST_CASE("what nobody waits for is no write of its own beside one that waits for the disk") {
  JournalWorld world;
  world.accept();
  world.pump();
  world.add(EventKind::TurnStarted);
  world.add(EventKind::UserMessage);
  world.pump();
  CHECK(world.asked.size() == 1);
  world.answer(0);
  REQUIRE(world.asked.size() == 2);
  CHECK(world.asked[1] == ask(2, 0, 1, kNoSync));
}

TEST_CASE("one write is under way at a time, and deltas that come meanwhile are one event") {
  JournalWorld world;
  world.accept();
  world.pump();
  world.add(EventKind::TextDelta, "a");
  world.pump();
  world.add(EventKind::TextDelta, "b");
  world.add(EventKind::TextDelta, "c");
  world.pump();
  CHECK(world.asked.size() == 2);
  world.answer(1);
  REQUIRE(world.asked.size() == 3);
  CHECK(world.asked[2] == ask(1, 0, 2, kNoSync));
  world.answer(2);
  world.answer(0);
  CHECK(world.notes == Notes{"told 1", "accepted", "told 2", "told 3"});
  CHECK(world.texts == std::vector<std::string>{"x", "a", "bc"});
}

TEST_CASE("deltas that stand before a commit are told when it is written, all else when synced") {
  JournalWorld world;
  world.add(EventKind::ModelCallStarted);
  world.add(EventKind::TextDelta);
  world.add(EventKind::ModelCallFinished);
  world.add(EventKind::TurnFinished);
  world.commit("finished");
  world.pump();
  REQUIRE(world.asked == std::vector<Asked>{ask(4, 1, 0, kNoSync), ask(0, 0, 4, kSync)});
  world.answer(0);
  CHECK(world.notes == Notes{"told 1 to 2"});
  CHECK(world.journal->last() == 2);
  CHECK(world.journal->planned() == 4);
  CHECK_FALSE(world.journal->idle());
  world.answer(1);
  CHECK(world.notes == Notes{"told 1 to 2", "told 3 to 4", "finished"});
  CHECK(world.journal->idle());
}

TEST_CASE("without changes, too, deltas before a commit do not wait for the disk") {
  JournalWorld world;
  world.add(EventKind::TextDelta);
  world.journal->commit({}, world.noting("kept"));
  world.pump();
  REQUIRE(world.asked == std::vector<Asked>{ask(1, 0, 0, kNoSync), ask(0, 0, 1, kSync)});
  world.answer(0);
  CHECK(world.notes == Notes{"told 1"});
  world.answer(1);
  CHECK(world.notes == Notes{"told 1", "kept"});
}

TEST_CASE(
    "what was added for a commit is not told before the disk has it, though a delta follows") {
  JournalWorld world;
  world.accept();
  world.add(EventKind::TextDelta);
  world.commit("later", "l");
  world.pump();
  REQUIRE(world.asked == std::vector<Asked>{ask(2, 2, 0, kSync)});
  world.answer(0);
  CHECK(world.notes == Notes{"told 1 to 2", "accepted", "later"});
}

TEST_CASE(
    "the end of a turn is written while its beginning waits for the disk, and told after it") {
  JournalWorld world;
  world.accept();
  world.pump();
  world.add(EventKind::TextDelta);
  world.add(EventKind::TurnFinished);
  world.commit("finished");
  world.pump();
  REQUIRE(world.asked.size() == 3);
  CHECK(world.asked[1] == ask(2, 1, 1, kNoSync));
  CHECK(world.asked[2] == ask(0, 0, 3, kSync));
  world.answer(1);
  world.answer(2);
  CHECK(world.notes.empty());
  world.answer(0);
  CHECK(world.notes == Notes{"told 1", "accepted", "told 2 to 3", "finished"});
}

TEST_CASE("a write of documents alone expects, too, that those before it have happened") {
  JournalWorld world;
  world.commit("first", "a");
  world.pump();
  REQUIRE(world.asked == std::vector<Asked>{ask(0, 1, -1, kSync)});
  world.accept();
  world.pump();
  world.commit("third", "b");
  world.pump();
  REQUIRE(world.asked.size() == 3);
  CHECK(world.asked[1] == ask(1, 1, 0, kSync));
  CHECK(world.asked[2] == ask(0, 1, 1, kSync));
}

TEST_CASE("who waits until all is written waits for the disk of what was before, too") {
  JournalWorld world;
  world.accept();
  world.pump();
  world.journal->when_written(world.noting("written"));
  world.pump();
  CHECK(world.notes.empty());
  world.add(EventKind::TextDelta);
  world.pump();
  world.answer(1);
  CHECK(world.notes.empty());
  world.answer(0);
  CHECK(world.notes == Notes{"told 1", "accepted", "told 2", "written"});
  world.journal->when_written(world.noting("at once"));
  CHECK(world.notes.back() == "at once");
}

TEST_CASE("a quick disk is waited for, which takes fewer writes and messages") {
  JournalWorld world(JournalWorld::Disk::quick);
  world.accept();
  world.pump();
  world.add(EventKind::TextDelta);
  world.pump();
  CHECK(world.asked.size() == 1);
  world.add(EventKind::TurnFinished);
  world.commit("finished");
  world.pump();
  CHECK(world.asked.size() == 1);
  world.answer(0);
  REQUIRE(world.asked.size() == 2);
  CHECK(world.asked[1] == ask(2, 1, 1, kSync));
  world.answer(1);
  CHECK(world.notes == Notes{"told 1", "accepted", "told 2 to 3", "finished"});
}

TEST_CASE("how long the disk takes is measured by what waits for it") {
  JournalWorld world(JournalWorld::Disk::quick);
  world.add(EventKind::TextDelta);
  world.pump();
  world.pass(std::chrono::milliseconds(80));
  world.answer(0);
  CHECK(world.sync_ns() == 0);
  world.accept();
  world.pump();
  world.pass(std::chrono::milliseconds(80));
  world.answer(1);
  CHECK(world.sync_ns() == 10'000'000);
  world.add(EventKind::TextDelta);
  world.commit("finished");
  world.pump();
  REQUIRE(world.asked.size() == 4);
  world.answer(2);
  CHECK(world.sync_ns() == 10'000'000);
  world.answer(3);
  CHECK(world.sync_ns() == 8'750'000);
}

}  // namespace
}  // namespace gantry::agent
