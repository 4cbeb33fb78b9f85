// SPDX-License-Identifier: Apache-2.0
// The adapter against a scripted application on a private bus: everything a toolkit can do wrong.
#include "client.hpp"
#include "support/fake_peer.hpp"
#include "support/private_bus.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <future>
#include <memory>
#include <optional>
#include <string>

using namespace gantry;
using namespace gantry::atspi;
using namespace gantry::atspi::testing;

namespace {

using Answer = Result<std::shared_ptr<const Tree>>;

/// A private bus with a registry, a client of the adapter on it, and one application.
struct Desk {
  explicit Desk(Behaviour behaviour = {}, AtspiConfig config = patient()) {
    start_peers(std::move(behaviour));
    SessionEnvironment environment;
    environment.getenv = [this](const char* name) {
      return std::string(name) == "AT_SPI_BUS_ADDRESS" ? bus.address() : std::string();
    };
    Client::Callbacks callbacks;
    callbacks.changed = [this](const Change& change) {
      const std::lock_guard lock(mutex);
      changes.push_back(change);
      changed.notify_all();
    };
    callbacks.status = [this](const BusStatus& status) {
      const std::lock_guard lock(mutex);
      statuses.push_back(status.up);
      changed.notify_all();
    };
    client = std::make_unique<Client>(config, environment, std::move(callbacks));
  }
  void start_peers(Behaviour behaviour = {}) {
    registry = std::make_unique<FakePeer>(bus.address(), Behaviour{}, true);
    app = std::make_unique<FakePeer>(bus.address(), std::move(behaviour));
    registry->list_application(app->unique_name());
    app->add("1", "root", window("Editor"));
  }

  /// No limit is met, however slow the machine is: for all tests that are not about one.
  static AtspiConfig patient() {
    AtspiConfig config;
    config.call_timeout = config.tree_deadline = config.cache_wait = milliseconds(60'000);
    return config;
  }
  /// Every application that has no cache costs this wait.
  static AtspiConfig without_cache() {
    AtspiConfig config = patient();
    config.cache_wait = milliseconds(100);
    return config;
  }
  static FakeNode window(const std::string& name) {
    FakeNode node;
    node.role = 23;
    node.name = name;
    node.box = {100, 100, 400, 300};
    return node;
  }
  // The application runs in this process, which the directory leaves out as its own; so the test
  // finds it by title, the way of windows whose process is unknown.
  Answer read(const std::string& title = "Editor", ReadOptions options = {}) {
    std::promise<Answer> promise;
    WindowHint hint;
    hint.title = title;
    client->read_tree(hint, options, [&](Answer answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }
  Result<Acted> act(Client::Act action) {
    std::promise<Result<Acted>> promise;
    client->act(std::move(action),
                [&](Result<Acted> acted) { promise.set_value(std::move(acted)); });
    return promise.get_future().get();
  }
  ObjectRef object(const std::string& id) const {
    return {app->unique_name(), FakePeer::path_of(id)};
  }
  /// Until the adapter has applied a change of this kind.
  bool wait_for(const std::string& kind) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), [&] {
      for (const Change& change : changes) {
        if (change.kind == kind) return true;
      }
      return false;
    });
  }

  /// Until the adapter has told exactly this course of up and down.
  bool wait_for_statuses(const std::vector<bool>& expected) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), [&] { return statuses == expected; });
  }

  void forget_changes() {
    const std::lock_guard lock(mutex);
    changes.clear();
  }

  PrivateBus bus;
  std::unique_ptr<FakePeer> registry;
  std::unique_ptr<FakePeer> app;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Change> changes;
  std::vector<bool> statuses;
  std::unique_ptr<Client> client;  // last: its callbacks use what is above
};

FakeNode named(std::uint32_t role, const std::string& name) {
  FakeNode node;
  node.role = role;
  node.name = name;
  return node;
}

std::vector<std::string> names(const Tree& tree) {
  std::vector<std::string> out;
  for (const TreeNode& node : tree.nodes) out.push_back(node.name);
  return out;
}

}  // namespace

TEST_CASE("a tree comes in document order with boxes, from either generation of the cache") {
  const bool old_cache = GENERATE(false, true);
  Behaviour behaviour;
  behaviour.old_cache = old_cache;
  Desk desk(behaviour);
  desk.app->add("b", "1", named(43, "B"));
  desk.app->add("a", "1", named(43, "A"));
  desk.app->add("c", "b", named(29, "C"));
  const Answer answer = desk.read();
  REQUIRE(answer);
  const Tree& tree = **answer;
  CHECK(names(tree) == std::vector<std::string>{"Editor", "B", "C", "A"});
  CHECK(tree.nodes[2].parent == 1);
  CHECK(tree.nodes[3].parent == 0);
  CHECK(tree.nodes[1].role == "Button");
  CHECK(tree.nodes[1].role_name == "push button");
  REQUIRE(tree.nodes[1].bounds);
  CHECK(*tree.nodes[1].bounds == Bounds{10, 10, 100, 20});
  CHECK(tree.matched_by == "title");
  CHECK(tree.nodes[1].native == desk.object("b").native());
  CHECK_FALSE(tree.truncated);
}

TEST_CASE("GetItems is tried again while the bridge has no cache yet") {
  Behaviour behaviour;
  behaviour.unknown_get_items = 3;
  Desk desk(behaviour);
  for (int i = 0; i < 10; ++i) desk.app->add("n" + std::to_string(i), "1", named(43, "n"));
  REQUIRE(desk.read());
  CHECK(desk.app->calls("GetItems") == 4);
  // Only the frame, while it was matched; twice, because this application refuses GetAll.
  CHECK(desk.app->calls("GetRole") <= 2);
}

TEST_CASE("an application without a cache is walked") {
  Behaviour behaviour;
  behaviour.no_cache = true;
  Desk desk(behaviour, Desk::without_cache());
  desk.app->add("a", "1", named(43, "A"));
  desk.app->add("b", "a", named(29, "B"));
  const Answer answer = desk.read();
  REQUIRE(answer);
  CHECK(names(**answer) == std::vector<std::string>{"Editor", "A", "B"});
}

TEST_CASE("a window that came without an event is found at the next look") {
  Desk desk;
  SECTION("after another one") { REQUIRE(desk.read()); }
  SECTION("as the first, in an application that was met before it had any") {
    desk.app->edit("root", [](FakeNode& root) { root.children.clear(); });
  }
  const Answer nothing = desk.read("Second");
  REQUIRE(nothing);
  CHECK((*nothing)->nodes.empty());
  desk.app->add("2", "root", Desk::window("Second"));
  const Answer answer = desk.read("Second");
  REQUIRE(answer);
  CHECK(names(**answer) == std::vector<std::string>{"Second"});
}

TEST_CASE("an unchanged window is answered from the cache without a call") {
  Desk desk;
  for (int i = 0; i < 50; ++i) desk.app->add("n" + std::to_string(i), "1", named(43, "n"));
  const Answer cold = desk.read();
  REQUIRE(cold);
  const Answer warm = desk.read();
  REQUIRE(warm);
  CHECK((*warm)->from_cache);
  CHECK((*warm)->calls == 0);
  CHECK((*warm)->nodes.size() == 51);
  CHECK((*warm)->sequence == (*cold)->sequence);
}

TEST_CASE("events make exactly what they touch be read again") {
  Desk desk;
  desk.app->add("a", "1", named(43, "before"));
  REQUIRE(desk.read());
  SECTION("a new name comes with the event") {
    desk.app->emit("a", "PropertyChange", "accessible-name", 0, "after");
    REQUIRE(desk.wait_for("name"));
    const Answer answer = desk.read();
    REQUIRE(answer);
    CHECK_FALSE((*answer)->from_cache);
    CHECK((*answer)->nodes[1].name == "after");
    CHECK((*answer)->calls == 0);
  }
  SECTION("a new child is read, the rest is not") {
    desk.app->add("b", "1", named(43, "new"));
    desk.app->emit("1", "ChildrenChanged", "add", 1, "", "b");
    REQUIRE(desk.wait_for("children"));
    const Answer answer = desk.read();
    REQUIRE(answer);
    CHECK(names(**answer) == std::vector<std::string>{"Editor", "before", "new"});
    CHECK(desk.app->calls("GetItems") == 1);
  }
  SECTION("a removed child is gone") {
    desk.app->edit("1", [](FakeNode& node) { node.children.clear(); });
    desk.app->emit("1", "ChildrenChanged", "remove", 0, "", "a");
    REQUIRE(desk.wait_for("children"));
    const Answer answer = desk.read();
    REQUIRE(answer);
    CHECK(names(**answer) == std::vector<std::string>{"Editor"});
  }
  SECTION("a state is flipped") {
    desk.app->emit("a", "StateChanged", "focused", 1);
    REQUIRE(desk.wait_for("focus"));
    const Answer answer = desk.read();
    REQUIRE(answer);
    CHECK((*answer)->nodes[1].focused);
  }
  SECTION("a moved box is asked for") {
    desk.app->edit("a", [](FakeNode& node) { node.box = {50, 60, 70, 80}; });
    desk.app->emit("a", "BoundsChanged", "", 0);
    REQUIRE(desk.wait_for("bounds"));
    const Answer answer = desk.read();
    REQUIRE(answer);
    CHECK((*answer)->nodes[1].bounds == Bounds{50, 60, 70, 80});
  }
}

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

TEST_CASE("a password is never asked for its text") {
  Desk desk;
  FakeNode secret = named(40, "secret");
  secret.interfaces.push_back("Text");
  secret.text = "hunter2";
  desk.app->add("p", "1", secret);
  FakeNode entry = named(79, "entry");
  entry.interfaces.push_back("Text");
  entry.text = "hello";
  desk.app->add("e", "1", entry);
  const Answer answer = desk.read();
  REQUIRE(answer);
  CHECK((*answer)->nodes[1].role == "Password");
  CHECK_FALSE((*answer)->nodes[1].value);
  CHECK((*answer)->nodes[2].value == "hello");
  CHECK(desk.app->calls("GetText") == 1);

  const Result<Acted> text =
      desk.act([&](Actions& a) { return a.get_text(desk.object("p"), 100); });
  REQUIRE_FALSE(text);
  CHECK(text.error().code == Code::PermissionDenied);
}

TEST_CASE("a field without a name has its label's, also after that has changed") {
  Desk desk;
  desk.app->add("l", "1", named(29, "User name"));
  FakeNode entry = named(79, "");
  entry.label = "l";
  desk.app->add("e", "1", entry);
  FakeNode secret = named(40, "");
  secret.label = "l";
  desk.app->add("p", "1", secret);
  FakeNode own = named(79, "Nick");
  own.label = "l";
  desk.app->add("o", "1", own);
  desk.app->add("n", "1", named(79, ""));
  using Names = std::vector<std::string>;
  const auto seen = [&] {
    const Answer answer = desk.read();
    REQUIRE(answer);
    return names(**answer);
  };
  CHECK(seen() == Names{"Editor", "User name", "User name", "User name", "Nick", ""});
  CHECK(desk.app->calls("GetRelationSet") == 3);

  desk.app->edit("l", [](FakeNode& node) { node.name = "Login"; });
  desk.app->emit("l", "PropertyChange", "accessible-name", 0, "Login");
  REQUIRE(desk.wait_for("name"));
  CHECK(seen() == Names{"Editor", "Login", "Login", "Login", "Nick", ""});
  CHECK(desk.app->calls("GetRelationSet") == 3);
}

TEST_CASE("a combo box tells the option that it shows, before and after a choice") {
  Desk desk;
  FakeNode box = named(11, "Role");
  box.interfaces.push_back("Selection");
  desk.app->add("box", "1", box);
  desk.app->add("list", "box", named(33, ""));
  for (const char* name : {"Guest", "Admin"}) {
    FakeNode option = named(35, name);
    option.states |= 1ULL << 22;  // selectable, and never selected
    desk.app->add(name, "list", option);
  }
  const auto seen = [&] {
    const Answer answer = desk.read();
    REQUIRE(answer);
    REQUIRE((*answer)->nodes.size() == 5);
    return (*answer)->nodes;
  };
  std::vector<TreeNode> nodes = seen();
  CHECK_FALSE(nodes[1].value);
  CHECK(nodes[4].selected == false);

  desk.app->edit("box", [](FakeNode& node) { node.chosen = "Admin"; });
  desk.app->emit("box", "SelectionChanged", "", 0);
  REQUIRE(desk.wait_for("state"));
  nodes = seen();
  CHECK(nodes[1].value == "Admin");
  CHECK(nodes[3].selected == false);
  CHECK(nodes[4].selected == true);
}

TEST_CASE("text is inserted whole: the length goes out in bytes") {
  Desk desk;
  FakeNode entry = named(79, "entry");
  entry.interfaces = {"Accessible", "Component", "Text", "EditableText"};
  desk.app->add("e", "1", entry);
  const std::string text = "naïve café — ünïcödé 😀";
  REQUIRE(desk.act([&](Actions& a) { return a.insert_text(desk.object("e"), 0, text); }));
  const Result<Acted> back =
      desk.act([&](Actions& a) { return a.get_text(desk.object("e"), 1000); });
  REQUIRE(back);
  CHECK(back->text == text);
}

TEST_CASE("actions say what is wrong") {
  Desk desk;
  desk.app->add("a", "1", named(43, "A"));
  const Result<Acted> done =
      desk.act([&](Actions& a) { return a.perform(desk.object("a"), "CLICK"); });
  REQUIRE(done);
  CHECK(done->accepted);
  const Result<Acted> none =
      desk.act([&](Actions& a) { return a.perform(desk.object("a"), "fly"); });
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Code::Unimplemented);
  CHECK(none.error().message.find("click") != std::string::npos);
  const Result<Acted> gone = desk.act([&](Actions& a) {
    return a.focus({":1.9999", FakePeer::path_of("a")});
  });
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == Code::NotFound);
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
