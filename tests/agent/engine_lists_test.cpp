// SPDX-License-Identifier: Apache-2.0
// Lists of sessions: their order and their pages, while sessions come, change and go. And what is
// read of sessions, and when.
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/store.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent_engine/src/ids.hpp"
#include "agent_world.hpp"

namespace gantry::testing {
namespace {

using namespace std::chrono_literals;
using Keys = std::vector<std::string>;

/// Keys of a page of ann's sessions.
Keys keys(AgentWorld& world, std::optional<std::string> workspace = {}, std::int32_t limit = 20,
          std::int64_t offset = 0) {
  const auto list =
      world.call<SessionList>({"ann", std::move(workspace), limit, offset}).value_or({});
  Keys out;
  for (const SessionInfo& info : list.sessions) out.push_back(info.session.key);
  return out;
}

std::int64_t total(AgentWorld& world, std::optional<std::string> workspace = {}) {
  const auto list = world.call<SessionList>({"ann", std::move(workspace), 1, 0});
  return list.ok() ? list->total : -1;
}

void make(AgentWorld& world, const std::string& key, const std::string& workspace = "") {
  REQUIRE(
      world.call<SessionOpen>({{"ann", workspace, key}, true, "Title of " + key, Json("{}")}).ok());
  world.kit().advance(1s);
}

/// Long enough for the engine to forget what nobody uses.
void rest(AgentWorld& world) {
  for (int i = 0; i < 4; ++i) world.kit().advance(31s);
}

TEST_CASE("a list has the latest change first, also of what changes after it was read") {
  AgentWorld world;
  for (const char* key : {"a", "b", "c"}) make(world, key);
  CHECK(keys(world) == Keys{"c", "b", "a"});

  REQUIRE(world.call<SessionPatch>({{"ann", "", "a"}, "New", std::nullopt}).ok());
  CHECK(keys(world) == Keys{"a", "c", "b"});

  world.kit().advance(1s);
  make(world, "d");
  CHECK(keys(world) == Keys{"d", "a", "c", "b"});

  REQUIRE(world.call<SessionDelete>({{"ann", "", "c"}}).ok());
  CHECK(keys(world) == Keys{"d", "a", "b"});
  CHECK(total(world) == 3);

  world.kit().advance(1s);
  make(world, "c");
  CHECK(keys(world) == Keys{"c", "d", "a", "b"});

  world.restart();
  CHECK(keys(world) == Keys{"c", "d", "a", "b"});
}

TEST_CASE("titles and metadata are kept up to a size, so that a page of sessions has one, too") {
  AgentWorld world;
  make(world, "a");
  const SessionKey session{"ann", "", "a"};
  const auto refused = [](const auto& answer) {
    return !answer.ok() && answer.error().code == Code::OutOfRange;
  };
  const auto metadata = [](std::size_t size) {
    return Json(R"({"x":")" + std::string(size - 8, 'x') + "\"}");
  };
  constexpr std::size_t kMost = 65'536;
  REQUIRE(world.call<SessionPatch>({session, std::nullopt, metadata(kMost)}).ok());
  CHECK(refused(world.call<SessionPatch>({session, "New", metadata(kMost + 1)})));
  CHECK(refused(world.call<SessionPatch>({session, std::string(4'097, 't'), std::nullopt})));
  CHECK(refused(world.call<SessionOpen>({{"ann", "", "b"}, true, {}, metadata(kMost + 1)})));
  CHECK(refused(
      world.call<SessionOpen>({{"ann", "", "b"}, true, std::string(4'097, 't'), Json("{}")})));

  const auto list = world.call<SessionList>({"ann", std::nullopt, 20, 0}).value_or({});
  REQUIRE(list.sessions.size() == 1);  // nothing of what was refused is there
  CHECK(list.sessions[0].title == "Title of a");
  CHECK(list.sessions[0].metadata.text.size() == kMost);
}

TEST_CASE("a turn moves its session to the front") {
  AgentWorld world;
  make(world, "a");
  make(world, "b");
  CHECK(keys(world) == Keys{"b", "a"});
  REQUIRE(world.start("@script reply yes", "t", "a").ok());
  world.kit().pump();
  CHECK(keys(world) == Keys{"a", "b"});
}

TEST_CASE("a list has pages, of all workspaces and of one") {
  AgentWorld world;
  for (int i = 0; i < 6; ++i) make(world, std::to_string(i), i % 2 == 0 ? "even" : "odd");
  CHECK(keys(world, {}, 2, 0) == Keys{"5", "4"});
  CHECK(keys(world, {}, 2, 4) == Keys{"1", "0"});
  CHECK(keys(world, {}, 2, 6).empty());
  CHECK(keys(world, "even", 2, 0) == Keys{"4", "2"});
  CHECK(keys(world, "even", 2, 2) == Keys{"0"});
  CHECK(total(world) == 6);
  CHECK(total(world, "odd") == 3);
  CHECK(total(world, "none") == 0);
}

TEST_CASE("a page says of sessions that were forgotten what their records say") {
  AgentWorld world;
  make(world, "a");
  make(world, "b");
  CHECK(total(world) == 2);
  rest(world);
  make(world, "c");
  const auto list = world.call<SessionList>({"ann", std::nullopt, 20, 0});
  REQUIRE(list.ok());
  REQUIRE(list->sessions.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string key(1, static_cast<char>('c' - i));
    CHECK(list->sessions[i].session == SessionKey{"ann", "", key});
    CHECK(list->sessions[i].title == "Title of " + key);
    CHECK(list->sessions[i].updated_ms > 0);
  }
}

TEST_CASE("a list longer than one read of the store is whole") {
  AgentWorld world;
  constexpr int kMany = 620;
  for (int i = 0; i < kMany; ++i) {
    REQUIRE(world.call<SessionOpen>({{"ann", "", std::to_string(i)}, true, {}, Json("{}")}).ok());
  }
  world.restart();
  CHECK(total(world) == kMany);
  CHECK(keys(world, {}, 1000).size() == kMany);
}

TEST_CASE("a store that is not there refuses a list, and lists again when it is back") {
  AgentWorld world;
  make(world, "a");
  world.restart();
  world.unload_store();
  const auto refused = world.call<SessionList>({"ann", std::nullopt, 20, 0});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Unavailable);
  world.load_store();
  CHECK(keys(world) == Keys{"a"});
}

/// In the store's place: it has nothing, counts what it is asked for, and cannot read one document.
struct CountingStore {
  explicit CountingStore(AgentWorld& world) {
    world.unload_store();
    REQUIRE(world.kit()
                .host("counting_store")
                .bus()
                .serve<StoreGet>([this](const StoreGetRequest& request) -> Result<StoreDocuments> {
                  asked.push_back(request.keys.size());
                  for (const std::string& key : request.keys) {
                    if (key == damaged) return Error{Code::DataLoss, key + " is damaged", {}};
                  }
                  return StoreDocuments{};
                })
                .ok());
  }

  std::vector<std::size_t> asked;  // documents of each request
  std::string damaged;
};

/// What each of ann's sessions `name`0, `name`1, … is answered with, asked for in one go.
std::vector<Code> open_at_once(AgentWorld& world, const std::string& name, std::size_t count) {
  std::vector<Code> answers(count, Code::Unknown);
  for (std::size_t i = 0; i < count; ++i) {
    world.kit().host().bus().call<SessionOpen>(
        {{"ann", "", name + std::to_string(i)}, false, "", Json("{}")},
        [&answers, i](const auto& info) { answers[i] = info.ok() ? Code::Ok : info.error().code; });
  }
  world.kit().pump();
  return answers;
}

TEST_CASE("sessions that are asked for in one go are read in one go") {
  AgentWorld world;
  world.kit().pump();
  CountingStore store(world);
  CHECK(open_at_once(world, "s", 40) == std::vector<Code>(40, Code::NotFound));
  CHECK(store.asked == std::vector<std::size_t>{32, 8});
}

TEST_CASE("a session that cannot be read keeps no other from being read") {
  AgentWorld world;
  world.kit().pump();
  CountingStore store(world);
  store.damaged = agent::principal_prefix("ann") + agent::session_id({"ann", "", "s2"});
  CHECK(open_at_once(world, "s", 4) ==
        std::vector<Code>{Code::NotFound, Code::NotFound, Code::DataLoss, Code::NotFound});
}

/// In the store's place: it has nothing, and the test answers its writes when it likes.
struct SlowStore {
  explicit SlowStore(AgentWorld& world) {
    world.unload_store();
    auto& bus = world.kit().host("slow_store").bus();
    REQUIRE(bus.serve<StoreGet>([this](const StoreGetRequest&) -> Result<StoreDocuments> {
                 ++reads;
                 return StoreDocuments{};
               })
                .ok());
    REQUIRE(bus.serve<StoreWrite>(
                   [this](const Ref<StoreWriteRequest>&, const CallInfo&, Reply<StoreWrite> reply) {
                     writes.push_back(std::make_shared<Reply<StoreWrite>>(std::move(reply)));
                   })
                .ok());
  }

  int reads = 0;
  std::vector<std::shared_ptr<Reply<StoreWrite>>> writes;
};

TEST_CASE("a session whose log broke is read again when nothing of it is on its way any more") {
  AgentWorld world;
  world.kit().pump();
  SlowStore store(world);
  auto& bus = world.kit().host().bus();
  const SessionKey key{"ann", "", "s"};
  bus.call<SessionOpen>({key, true, "", Json("{}")}, [](const auto&) {});
  world.kit().advance(1s);  // what it takes until the disk has it
  REQUIRE(store.writes.size() == 1);
  (*store.writes[0])(StoreWritten{});
  world.kit().pump();
  for (const std::string title : {"one", "two"}) {
    SessionPatchRequest patch;
    patch.session = key;
    patch.title = title;
    bus.call<SessionPatch>(std::move(patch), [](const auto&) {});
    world.kit().pump();
  }
  REQUIRE(store.writes.size() == 3);
  store.writes[1]->fail(Error{Code::ResourceExhausted, "full", {}});
  world.kit().pump();
  const int reads = store.reads;
  const SessionOpenRequest look{key, false, "", Json("{}")};
  CHECK(world.call<SessionOpen>(look).error().code == Code::ResourceExhausted);
  CHECK(store.reads == reads);
  (*store.writes[2])(StoreWritten{});
  world.kit().pump();
  CHECK(world.call<SessionOpen>(look).error().code == Code::NotFound);
  CHECK(store.reads == reads + 1);
}

}  // namespace
}  // namespace gantry::testing
