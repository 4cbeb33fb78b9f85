// SPDX-License-Identifier: Apache-2.0
// What the adapter reads of an application, and what makes it read again.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "support/desk.hpp"

using namespace gantry;
using namespace gantry::atspi;
using namespace gantry::atspi::testing;

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
  if (GENERATE(false, true)) {
    REQUIRE(desk.read());  // after another one
  } else {
    // As the first, in an application that was met before it had any.
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
