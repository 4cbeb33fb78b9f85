// SPDX-License-Identifier: Apache-2.0
// Everything a toolkit can do wrong: trees without end or measure, silence, death.
#include <catch2/catch.hpp>

#include <chrono>
#include <string>

#include "support/desk.hpp"

using namespace gantry;
using namespace gantry::atspi;
using namespace gantry::atspi::testing;

TEST_CASE("links that form a cycle end") {
  Behaviour behaviour;
  behaviour.no_cache = true;
  Desk desk(behaviour, Desk::without_cache());
  desk.app->add("a", "1", named(39, "A"));
  desk.app->add("b", "a", named(39, "B"));
  desk.app->edit("b", [](FakeNode& node) { node.children = {"a", "1", "b", "root"}; });
  const Answer answer = desk.read();
  REQUIRE(answer);
  CHECK((*answer)->nodes.size() <= 3);
  CHECK_FALSE((*answer)->nodes.empty());
}

TEST_CASE("sentinel boxes are no boxes") {
  Desk desk;
  FakeNode sentinel = named(43, "S");
  sentinel.box = {INT32_MIN, INT32_MIN, 10, 10};
  desk.app->add("s", "1", sentinel);
  FakeNode empty = named(43, "E");
  empty.box = {5, 5, 0, 0};
  desk.app->add("e", "1", empty);
  const Answer answer = desk.read();
  REQUIRE(answer);
  CHECK_FALSE((*answer)->nodes[1].bounds);
  CHECK_FALSE((*answer)->nodes[2].bounds);
}

TEST_CASE("100,000 children are cut at the cap and said to be") {
  Behaviour behaviour;
  behaviour.endless_children = 100000;
  AtspiConfig config = Desk::patient();
  config.max_children = 300;
  Desk desk(behaviour, config);
  FakeNode list = named(31, "list");
  list.states |= 1ULL << 31U;  // MANAGES_DESCENDANTS
  desk.app->add("list", "1", list);
  const Answer answer = desk.read();
  REQUIRE(answer);
  CHECK((*answer)->truncated);
  CHECK((*answer)->truncated_reason == "children_budget");
  CHECK((*answer)->nodes[1].children_truncated);
  CHECK(desk.app->calls("GetChildAtIndex") == 300);
}

TEST_CASE("the node budget cuts a tree") {
  Desk desk;
  for (int i = 0; i < 200; ++i) desk.app->add("n" + std::to_string(i), "1", named(43, "n"));
  ReadOptions options;
  options.max_nodes = 50;
  const Answer answer = desk.read("Editor", options);
  REQUIRE(answer);
  CHECK((*answer)->nodes.size() == 50);
  CHECK((*answer)->truncated_reason == "node_budget");
}

TEST_CASE("an application that dies half-way ends the read, not the adapter") {
  Behaviour behaviour;
  behaviour.no_cache = true;
  behaviour.die_after = 25;
  Desk desk(behaviour, Desk::without_cache());
  for (int i = 0; i < 100; ++i) desk.app->add("n" + std::to_string(i), "1", named(43, "n"));
  const Answer answer = desk.read();
  CHECK((!answer || (*answer)->truncated));
  // Another one is read as if nothing had happened.
  FakePeer other(desk.bus.address(), {});
  other.add("1", "root", Desk::window("Other"));
  desk.registry->list_application(other.unique_name());
  REQUIRE(desk.read("Other"));
}

TEST_CASE("a silent application is named, set aside, and does not delay others") {
  AtspiConfig config = Desk::patient();
  config.call_timeout = milliseconds(3000);
  Desk desk({}, config);
  FakePeer hung(desk.bus.address(), {});
  hung.add("1", "root", Desk::window("Hung"));
  desk.registry->list_application(hung.unique_name());
  REQUIRE(desk.read("Hung"));
  REQUIRE(desk.read("Editor"));
  hung.behave([](Behaviour& behaviour) { behaviour.silent = true; });
  hung.emit("1", "BoundsChanged", "", 0);
  REQUIRE(desk.wait_for("bounds"));

  const Answer partial = desk.read("Hung");
  REQUIRE(partial);
  REQUIRE((*partial)->degraded);
  CHECK((*partial)->degraded->reason == "app_hung");
  CHECK((*partial)->degraded->message.find("fake") != std::string::npos);

  const TimePoint began = Clock::now();
  desk.app->emit("1", "ChildrenChanged", "add", 0);
  REQUIRE(desk.wait_for("children"));
  REQUIRE(desk.read("Editor"));
  CHECK(Clock::now() - began < config.call_timeout);  // nobody waited until it counted as hung

  const Answer again = desk.read("Hung");
  REQUIRE(again);
  CHECK((*again)->degraded->reason == "app_hung");
  CHECK((*again)->nodes.size() == 1);  // the last view, marked

  // The first sign of life ends the quarantine.
  hung.behave([](Behaviour& behaviour) { behaviour.silent = false; });
  desk.forget_changes();
  hung.emit("1", "PropertyChange", "accessible-name", 0, "Alive");
  REQUIRE(desk.wait_for("name"));
  const Answer alive = desk.read("Alive");
  REQUIRE(alive);
  CHECK_FALSE((*alive)->degraded);
}

TEST_CASE("a bus that dies is reported, and found again when it is back") {
  Desk desk;
  REQUIRE(desk.read());
  desk.app.reset();
  desk.registry.reset();
  desk.bus.kill();
  CHECK(desk.wait_for_statuses({true, false}));
  const Answer answer = desk.read();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::Unavailable);
  desk.bus.restart();
  desk.start_peers();
  // Nobody has to ask: the adapter looks for the bus by itself.
  CHECK(desk.wait_for_statuses({true, false, true}));
  CHECK(desk.read());
}

TEST_CASE("no bus at all is unavailable with a cure") {
  SessionEnvironment environment;
  environment.getenv = [](const char*) { return std::string(); };
  environment.run_user = "/nonexistent";
  environment.proc = "/nonexistent";
  std::promise<BusStatus> told;
  Client::Callbacks callbacks;
  callbacks.status = [&](const BusStatus& status) { told.set_value(status); };  // once
  Client client(Desk::patient(), environment, std::move(callbacks));
  std::promise<Answer> promise;
  client.read_tree({}, {}, [&](Answer answer) { promise.set_value(std::move(answer)); });
  const Answer answer = promise.get_future().get();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::Unavailable);
  CHECK(answer.error().message.find("cure") != std::string::npos);
  const BusStatus status = told.get_future().get();
  CHECK_FALSE(status.up);
  CHECK(status.reason.find("no session bus") == 0);
  CHECK(status.reason.find("cure") == std::string::npos);
  CHECK_FALSE(status.cure.empty());
}
