// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/store.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "store_plugin.hpp"

namespace gantry::store {
namespace {

/// The plugin on a database of its own, and two plugins that use it.
class World {
 public:
  World() { load(); }

  void load(std::string_view more = "") {
    REQUIRE(
        kit_.load<StorePlugin>("store", R"({"path":")" + path() + "\"" + std::string(more) + "}")
            .ok());
  }
  void restart(std::string_view more = "") {
    kit_.unload("store");
    load(more);
  }
  std::string path() const { return folder_.path().string() + "/state/store.db"; }
  testkit::FakeHost& kit() { return kit_; }

  template <class C>
  Result<typename C::Response> call(typename C::Request request, std::string_view who = "engine") {
    auto answer = kit_.host(who).bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }
  StoreAppended append(std::string log, std::vector<std::string> bodies) {
    StoreAppendRequest request{std::move(log), {}, {}, false};
    for (std::string& body : bodies) request.entries.push_back({"note", Json(std::move(body))});
    auto answer = call<StoreAppend>(std::move(request));
    REQUIRE(answer.ok());
    return *answer;
  }
  StoreLogPage read(StoreReadLogRequest request, std::string_view who = "engine") {
    auto page = call<StoreReadLog>(std::move(request), who);
    REQUIRE(page.ok());
    return *page;
  }

 private:
  testkit::TempDir folder_;
  testkit::FakeHost kit_;
};

std::vector<std::int64_t> sequences(const StoreLogPage& page) {
  std::vector<std::int64_t> out;
  for (const StoredEntry& entry : page.entries) out.push_back(entry.sequence);
  return out;
}

std::vector<std::string> keys(const StoreDocuments& found) {
  std::vector<std::string> out;
  for (const StoredDocument& document : found.documents) out.push_back(document.key);
  return out;
}

StoreWriteRequest put(std::string key, std::string body,
                      std::optional<std::int64_t> expect = std::nullopt) {
  StoreWriteRequest request;
  request.changes.push_back({"notes", std::move(key), Json(std::move(body)), expect});
  return request;
}

using Sequences = std::vector<std::int64_t>;
using Keys = std::vector<std::string>;

TEST_CASE("a log counts its entries without a gap, also after a restart") {
  World world;
  CHECK(world.append("s1", {"1", "2"}).first == 1);
  CHECK(world.append("s2", {"9"}).last == 1);
  CHECK(world.append("s1", {"3"}).first == 3);
  world.restart();
  const StoreAppended fourth = world.append("s1", {R"({"é":"\u0000"})"});
  CHECK(fourth.first == 4);
  CHECK(fourth.last == 4);
  const StoreLogPage page = world.read({"s1", 0, 200, false});
  CHECK(sequences(page) == Sequences{1, 2, 3, 4});
  CHECK(page.entries[3].body.text == R"({"é":"\u0000"})");
  CHECK(page.entries[0].type == "note");
  CHECK(page.last == 4);
  CHECK(page.first == 1);
  CHECK_FALSE(page.more);
}

TEST_CASE("an entry has the time of the host's clock") {
  World world;
  world.append("s1", {"1"});
  world.kit().advance(std::chrono::seconds(5));
  world.append("s1", {"2"});
  const StoreLogPage page = world.read({"s1", 0, 200, false});
  CHECK(page.entries[1].at_ms - page.entries[0].at_ms == 5000);
}

TEST_CASE("a log is read in pages, from either end") {
  World world;
  world.append("s1", {"1", "2", "3", "4", "5"});
  const StoreLogPage first = world.read({"s1", 0, 2, false});
  CHECK(sequences(first) == Sequences{1, 2});
  CHECK(first.more);
  const StoreLogPage rest = world.read({"s1", 2, 3, false});
  CHECK(sequences(rest) == Sequences{3, 4, 5});
  CHECK_FALSE(rest.more);
  const StoreLogPage newest = world.read({"s1", 0, 2, true});
  CHECK(sequences(newest) == Sequences{4, 5});
  CHECK(newest.more);
  CHECK(sequences(world.read({"s1", 4, 2, true})) == Sequences{5});
  CHECK(world.read({"s1", 5, 2, false}).entries.empty());
  const StoreLogPage none = world.read({"unknown", 0, 2, false});
  CHECK(none.entries.empty());
  CHECK(none.last == 0);
}

TEST_CASE("an append that expects another end changes nothing") {
  World world;
  world.append("s1", {"1"});
  const auto refused = world.call<StoreAppend>({"s1", {{"note", Json("2")}}, 0, false});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Aborted);
  CHECK(refused.error().detail == R"({"log":"s1","last":1})");
  CHECK(world.call<StoreAppend>({"s1", {{"note", Json("2")}}, 1, true}).ok());
  CHECK(world.read({"s1", 0, 9, false}).last == 2);
}

TEST_CASE("trimmed entries go, the numbers of the others stay, and a forgotten log begins anew") {
  World world;
  world.append("s1", {"1", "2", "3"});
  CHECK(world.call<StoreTrimLog>({"s1", 2, false})->removed == 2);
  CHECK(world.call<StoreTrimLog>({"s1", 2, false})->removed == 0);
  const StoreLogPage kept = world.read({"s1", 0, 9, false});
  CHECK(sequences(kept) == Sequences{3});
  CHECK(kept.first == 3);
  CHECK(world.call<StoreTrimLog>({"s1", 99, false})->removed == 1);
  world.restart();
  CHECK(world.append("s1", {"4"}).first == 4);
  CHECK(world.call<StoreTrimLog>({"s1", 0, true})->removed == 1);
  CHECK(world.read({"s1", 0, 9, false}).last == 0);
  CHECK(world.append("s1", {"1"}).first == 1);
}

TEST_CASE("documents have versions that only grow") {
  World world;
  const auto first = world.call<StoreWrite>(put("a", "1", 0));
  REQUIRE(first.ok());
  const std::int64_t version = first->versions.at(0);
  const auto stale = world.call<StoreWrite>(put("a", "2", 0));
  REQUIRE_FALSE(stale.ok());
  CHECK(stale.error().code == Code::Aborted);
  CHECK(stale.error().detail ==
        R"({"collection":"notes","key":"a","version":)" + std::to_string(version) + "}");
  CHECK(world.call<StoreWrite>(put("a", "2", version)).ok());
  StoreWriteRequest removal;
  removal.changes.push_back({"notes", "a", std::nullopt, std::nullopt});
  CHECK(world.call<StoreWrite>(removal)->versions == std::vector<std::int64_t>{0});
  CHECK(world.call<StoreGet>({"notes", {"a"}})->documents.empty());
  world.restart();
  CHECK(world.call<StoreWrite>(put("a", "3", 0))->versions.at(0) > version + 1);
}

TEST_CASE("changes and appends of one request happen together or not at all") {
  World world;
  StoreWriteRequest both = put("a", "1");
  both.appends.push_back({"s1", {{"note", Json("1")}}, 0, false});
  const auto done = world.call<StoreWrite>(both);
  REQUIRE(done.ok());
  CHECK(done->appended.at(0).last == 1);
  // Once more: the log does not end at 0 any longer.
  both.changes[0].body = Json("2");
  CHECK(world.call<StoreWrite>(both).error().code == Code::Aborted);
  CHECK(world.call<StoreGet>({"notes", {"a"}})->documents.at(0).body.text == "1");
  CHECK(world.read({"s1", 0, 9, false}).last == 1);
}

TEST_CASE("documents are listed by key, prefix and direction") {
  World world;
  for (const char* key : {"b/2", "a/1", "b/1", "b/10", "c"}) {
    REQUIRE(world.call<StoreWrite>(put(key, "1")).ok());
  }
  const auto list = [&world](StoreListRequest request) {
    request.collection = "notes";
    const auto found = world.call<StoreList>(std::move(request));
    REQUIRE(found.ok());
    return *found;
  };
  CHECK(keys(list({})) == Keys{"a/1", "b/1", "b/10", "b/2", "c"});
  CHECK(keys(list({"", "b/", "", 200, false, true})) == Keys{"b/1", "b/10", "b/2"});
  CHECK(keys(list({"", "b/", "", 2, true, true})) == Keys{"b/2", "b/10"});
  CHECK(keys(list({"", "b/", "b/10", 2, true, true})) == Keys{"b/1"});
  const StoreDocuments page = list({"", "", "a/1", 1, false, false});
  CHECK(keys(page) == Keys{"b/1"});
  CHECK(page.more);
  CHECK(page.documents[0].body.text == "null");
  const auto some = world.call<StoreGet>({"notes", {"c", "no", "a/1"}});
  CHECK(keys(*some) == Keys{"c", "a/1"});
}

TEST_CASE("a plugin sees nothing of what another has stored") {
  World world;
  world.append("s1", {"1"});
  REQUIRE(world.call<StoreWrite>(put("a", "1")).ok());
  CHECK(world.read({"s1", 0, 9, false}, "other").last == 0);
  CHECK(world.call<StoreGet>({"notes", {"a"}}, "other")->documents.empty());
  CHECK(world.call<StoreList>({"notes", "", "", 9, false, true}, "other")->documents.empty());
  CHECK(world.call<StoreTrimLog>({"s1", 9, true}, "other")->removed == 0);
  CHECK(world.call<StoreWrite>(put("a", "2", 0), "other").ok());
  CHECK(world.call<StoreGet>({"notes", {"a"}})->documents.at(0).body.text == "1");
}

TEST_CASE("what waits together is committed together") {
  World world;
  std::size_t answered = 0;
  for (int i = 0; i < 50; ++i) {
    world.kit().host("engine").bus().call<StoreAppend>(
        {"s1", {{"note", Json(std::to_string(i))}}, std::nullopt, i == 7},
        [&answered](const Result<Ref<StoreAppended>>& answer) {
          ++answered;
          CHECK(answer.ok());
        });
  }
  // One that fails takes none of the others with it.
  bool refused = false;
  world.kit().host("engine").bus().call<StoreAppend>(
      {"s1", {{"note", Json("0")}}, 3, false},
      [&refused](const Result<Ref<StoreAppended>>& answer) {
        refused = !answer.ok() && answer.error().code == Code::Aborted;
      });
  world.kit().pump();
  CHECK(answered == 50);
  CHECK(refused);
  CHECK(world.kit().metric("store", "commits_total") == 1);
  CHECK(world.read({"s1", 0, 100, false}).last == 50);
}

TEST_CASE("who wants to hear of a write and of its sync asks twice, for one transaction") {
  World world;
  auto& bus = world.kit().host("engine").bus();
  const auto answer_of = [](std::string name, std::vector<std::string>& answers) {
    return [name = std::move(name), &answers](const auto& answer) {
      answers.push_back(answer.ok() ? name : "not " + name);
    };
  };
  std::vector<std::string> answers;
  StoreWriteRequest write = put("a", "1");
  write.appends.push_back({"s1", {{"note", Json("1")}}, 0, false});
  bus.call<StoreWrite>(std::move(write), answer_of("written", answers));
  bus.call<StoreAppend>({"s1", {}, 1, true}, answer_of("synced", answers));
  bus.call<StoreAppend>({"s1", {}, 2, true}, answer_of("synced", answers));
  world.kit().pump();
  CHECK(answers == std::vector<std::string>{"written", "not synced", "synced"});
  CHECK(world.kit().metric("store", "commits_total") == 1);
}

TEST_CASE(
    "nothing is written to a database that was taken away, and what lies there next is used") {
  World world;
  CHECK(world.call<StoreWrite>(put("a", "1")).ok());
  const std::filesystem::path file = world.path();
  const std::filesystem::path away = world.path() + ".away";
  const auto copy = world.path() + ".copy";
  world.kit().unload("store");
  std::filesystem::copy_file(file, copy);
  world.load();
  CHECK(world.call<StoreWrite>(put("lost", "2")).ok());

  std::filesystem::rename(file, away);
  const auto refused = world.call<StoreWrite>(put("b", "3"));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Unavailable);
  CHECK(world.kit().health().at("store/database").state == GANTRY_HEALTH_FAILED);
  const auto unread = world.call<StoreGet>({"notes", {"a"}});
  REQUIRE_FALSE(unread.ok());
  CHECK(unread.error().code == Code::Unavailable);
  CHECK_FALSE(std::filesystem::exists(file));  // no empty one stands in its place at once

  for (const char* more : {"-wal", "-shm"}) std::filesystem::remove(world.path() + more);
  std::filesystem::rename(copy, file);
  world.kit().advance(std::chrono::seconds(6));
  const auto found = world.call<StoreGet>({"notes", {"a", "lost"}});
  REQUIRE(found.ok());
  CHECK(keys(*found) == Keys{"a"});
  CHECK(world.kit().health().at("store/database").state == GANTRY_HEALTH_OK);
  CHECK(world.call<StoreWrite>(put("b", "3")).ok());
}

TEST_CASE("what is no name or no body is refused, with what is allowed") {
  World world;
  world.restart(R"(,"max_body":1024)");
  const std::vector<StoreAppendRequest> bad = {
      {"", {}, {}, false},
      {std::string(257, 'x'), {}, {}, false},
      {"a\nb", {}, {}, false},
      {"\xff", {}, {}, false},
      {"\xF4\x8F\xBF\xBF", {}, {}, false},
      {"s", {{"", Json("1")}}, {}, false},
      {"s", {{"t", Json(std::string(1025, '1'))}}, {}, false},
      {"s", std::vector<StoreEntry>(1001, {"t", Json("1")}), {}, false},
  };
  for (const StoreAppendRequest& request : bad) {
    const auto answer = world.call<StoreAppend>(request);
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::InvalidArgument);
  }
  StoreWriteRequest twice = put("a", "1");
  twice.changes.push_back(twice.changes[0]);
  CHECK(world.call<StoreWrite>(twice).error().code == Code::InvalidArgument);
  StoreWriteRequest logs;
  for (const char* log : {"s1", "s2", "s1"}) logs.appends.push_back({log, {}, {}, false});
  CHECK(world.call<StoreWrite>(logs).error().message.find("two appends to the log s1") == 0);
  CHECK(world.call<StoreReadLog>({"s", 0, 0, false}).error().code == Code::InvalidArgument);
  CHECK(world.call<StoreList>({"notes", "", "", 1001, false, true}).error().code ==
        Code::InvalidArgument);
}

/// A message that knows how many hold it.
template <class T>
struct Counted {
  explicit Counted(T message) : value(std::move(message)) {
    body.size = sizeof body;
    body.type = &type_of<T>();
    body.object = &value;
    body.owner = this;
    body.retain = [](void* self) { ++static_cast<Counted*>(self)->holders; };
    body.release = [](void* self) { --static_cast<Counted*>(self)->holders; };
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { CHECK(holders == 0); }

  T value;
  gantry_body body{};
  int holders = 1;
};

/// How many hold the request when it is answered; one of them is the caller.
template <class C>
int holders_at_the_answer(World& world, typename C::Request request) {
  Counted<typename C::Request> counted(std::move(request));
  const auto mine = Ref<typename C::Request>::adopt(&counted.body);
  int holders = 0;
  CallOptions options;
  options.complete_inline = true;  // a moment later nobody would hold it in any case
  world.kit().host("engine").bus().template call_shared<C>(
      mine,
      [&](const auto& answer) {
        CHECK(answer.ok());
        holders = counted.holders;
      },
      options);
  world.kit().pump();
  return holders;
}

/// Else another thread frees what the caller's has made, and both wait for each other meanwhile.
TEST_CASE("a request is let go before it is answered") {
  World world;
  CHECK(holders_at_the_answer<StoreAppend>(world, {"s", {{"t", Json("1")}}, {}, false}) == 1);
  CHECK(holders_at_the_answer<StoreAppend>(world, {"s", {{"t", Json("2")}}, {}, true}) == 1);
  CHECK(holders_at_the_answer<StoreWrite>(world, put("a", "1")) == 1);
  CHECK(holders_at_the_answer<StoreReadLog>(world, {"s", 0, 10, false}) == 1);
  CHECK(holders_at_the_answer<StoreGet>(world, {"notes", {"a"}}) == 1);
  CHECK(holders_at_the_answer<StoreTrimLog>(world, {"s", 1}) == 1);
}

}  // namespace
}  // namespace gantry::store
