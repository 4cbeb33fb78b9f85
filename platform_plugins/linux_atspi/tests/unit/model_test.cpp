// SPDX-License-Identifier: Apache-2.0
// The cache of one application and the tree made of it, without D-Bus.
#include "app_model.hpp"
#include "assemble.hpp"
#include "roles.hpp"

#include <catch2/catch.hpp>

using namespace gantry::atspi;

namespace {

const std::string kBus = ":1.7";

ObjectRef at(const std::string& id) { return {kBus, "/org/a11y/atspi/accessible/" + id}; }

CacheItem item(const std::string& id, const std::string& parent, int index, int children) {
  CacheItem out;
  out.object = at(id);
  out.parent = at(parent);
  out.index = index;
  out.child_count = children;
  out.name = id;
  out.states = StateSet(1U << 25U | 1U << 30U, 0);
  return out;
}

Event event(const std::string& id, const char* member, const char* detail = "", int detail1 = 0) {
  Event out;
  out.source = at(id);
  out.interface = "Object";
  out.member = member;
  out.detail = detail;
  out.detail1 = detail1;
  return out;
}

std::string listing(const AppModel& model, NodeIndex start) {
  std::string out;
  for (const NodeIndex index : collect_order(model, start, 1000).nodes)
    out += model.at(index).name + " ";
  return out;
}

/// frame(a(c) b)
AppModel small() {
  AppModel model(kBus);
  model.load({item("frame", "root", 0, 2), item("b", "frame", 1, 0), item("a", "frame", 0, 1),
              item("c", "a", 0, 0)});
  return model;
}

}  // namespace

TEST_CASE("a cache answer becomes a tree in the order of the indices") {
  const AppModel model = small();
  const NodeIndex frame = model.find(at("frame"));
  CHECK(listing(model, frame) == "frame a c b ");
  CHECK(model.at(frame).is_fresh(kFreshProps | kFreshChildren));
  CHECK(model.at(model.find(at("c"))).parent == model.find(at("a")));
}

TEST_CASE("an incomplete child list is not trusted") {
  AppModel model(kBus);
  const auto trusted = [&] { return model.at(model.find(at("frame"))).is_fresh(kFreshChildren); };
  SECTION("a gap") {
    model.load({item("frame", "root", 0, 3), item("a", "frame", 0, 0), item("b", "frame", 2, 0)});
    CHECK_FALSE(trusted());
  }
  SECTION("no positions") {
    model.load({item("frame", "root", 0, 2), item("a", "frame", -1, 0), item("b", "frame", -1, 0)});
    CHECK_FALSE(trusted());
  }
  SECTION("managed descendants") {
    model.load({item("frame", "root", 0, -1)});
    CHECK_FALSE(trusted());
  }
}

TEST_CASE("references without a bus name belong to the application") {
  AppModel model = small();
  CHECK(model.find({"", at("a").path}) == model.find(at("a")));
  CHECK(model.find({":1.8", at("a").path}) == kNoNode);
}

TEST_CASE("new child lists drop what is gone and move what moved") {
  AppModel model = small();
  const NodeIndex frame = model.find(at("frame"));
  const std::uint64_t before = model.sequence();
  SECTION("removed with its subtree") {
    model.set_children(frame, {at("b")});
    CHECK(listing(model, frame) == "frame b ");
    CHECK(model.find(at("c")) == kNoNode);
  }
  SECTION("reordered") {
    model.set_children(frame, {at("b"), at("a")});
    CHECK(listing(model, frame) == "frame b a c ");
  }
  SECTION("taken over from another parent") {
    model.set_children(model.find(at("b")), {at("c")});
    CHECK(listing(model, frame) == "frame a b c ");
  }
  SECTION("a child that is its own ancestor does not loop") {
    model.set_children(model.find(at("c")), {at("a"), at("c"), at("root")});
    CHECK(collect_order(model, frame, 1000).nodes.size() <= 4);
  }
  CHECK(model.sequence() > before);
}

TEST_CASE("a pending answer for a removed node finds nothing") {
  AppModel model = small();
  const NodeHandle handle = model.handle(model.find(at("a")));
  REQUIRE(model.get(handle) != nullptr);
  model.remove(handle.index);
  CHECK(model.get(handle) == nullptr);
  model.ensure(at("new"), model.find(at("frame")));  // takes over the slot
  CHECK(model.get(handle) == nullptr);
}

TEST_CASE("events make stale what they speak of") {
  struct Case {
    const char* what;
    Event happened;
    const char* node;
    unsigned stale;
  };
  Event name = event("a", "PropertyChange", "accessible-name");
  const Case cases[] = {
      {"name without its text", name, "a", kFreshProps},
      {"children", event("frame", "ChildrenChanged", "add"), "frame", kFreshChildren},
      {"children push siblings about", event("frame", "ChildrenChanged", "add"), "b", kFreshBounds},
      {"a box moves its subtree", event("a", "BoundsChanged"), "c", kFreshBounds},
      {"text", event("a", "TextChanged", "insert"), "a", kFreshText},
      {"appearing", event("a", "StateChanged", "showing", 0), "c", kFreshBounds},
      {"value", event("a", "PropertyChange", "accessible-value"), "a", kFreshRange},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    AppModel model = small();
    for (const char* id : {"frame", "a", "b", "c"}) model.at(model.find(at(id))).mark(0xFF);
    const std::uint64_t before = model.sequence();
    CHECK(model.apply(c.happened));
    CHECK(model.sequence() > before);
    CHECK_FALSE(model.at(model.find(at(c.node))).is_fresh(c.stale));
  }
}

TEST_CASE("a scroll bar that moves makes everything it scrolls stale") {
  AppModel model = small();
  model.at(model.find(at("b"))).role = static_cast<std::uint32_t>(Role::kScrollBar);
  model.at(model.find(at("c"))).mark(kFreshBounds);
  CHECK(model.apply(event("b", "PropertyChange", "accessible-value")));
  CHECK_FALSE(model.at(model.find(at("c"))).is_fresh(kFreshBounds));
}

TEST_CASE("events that change nothing leave the sequence alone") {
  AppModel model = small();
  const std::uint64_t before = model.sequence();
  CHECK_FALSE(model.apply(event("a", "StateChanged", "showing", 1)));  // already so
  CHECK_FALSE(model.apply(event("unknown", "StateChanged", "focused", 1)));
  CHECK_FALSE(model.apply(event("a", "TextCaretMoved")));
  Event same = event("a", "PropertyChange", "accessible-name");
  same.text = "a";
  CHECK_FALSE(model.apply(same));
  CHECK(model.sequence() == before);
  CHECK(model.events() == 0);
}

TEST_CASE("defunct objects go with their subtree") {
  AppModel model = small();
  CHECK(model.apply(event("a", "StateChanged", "defunct", 1)));
  CHECK(listing(model, model.find(at("frame"))) == "frame b ");
}

TEST_CASE("the order is cut at the budget and says so") {
  const AppModel model = small();
  const Order order = collect_order(model, model.find(at("frame")), 2);
  CHECK(order.nodes.size() == 2);
  CHECK(order.cut);
}

TEST_CASE("a later cache answer drops what it no longer lists") {
  AppModel model = small();
  const std::vector<CacheItem> items{item("frame", "root", 0, 1), item("b", "frame", 0, 0)};
  model.load(items);
  model.prune(items);
  CHECK(listing(model, model.find(at("frame"))) == "frame b ");
  CHECK(model.find(at("c")) == kNoNode);
}
