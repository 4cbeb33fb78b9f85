// SPDX-License-Identifier: Apache-2.0
#include "session_order.hpp"

#include <catch2/catch.hpp>

namespace gantry::agent {
namespace {

using Ids = std::vector<std::string>;

TEST_CASE("sessions stand in the order of their latest change") {
  SessionOrder order;
  order.put("a", "w", 10);
  order.put("b", "w", 30);
  order.put("c", "w", 20);
  CHECK(order.page({}, 0, 10) == Ids{"b", "c", "a"});

  order.put("a", "w", 40);
  CHECK(order.page({}, 0, 10) == Ids{"a", "b", "c"});
  CHECK(order.count({}) == 3);
}

TEST_CASE("what is read late does not undo a later change") {
  SessionOrder order;
  order.put("a", "w", 40);
  order.put("b", "w", 30);
  order.put("a", "w", 10);
  CHECK(order.page({}, 0, 10) == Ids{"a", "b"});
}

TEST_CASE("equal times are in the order of the ids") {
  SessionOrder order;
  order.put("b", "w", 10);
  order.put("a", "w", 10);
  CHECK(order.page({}, 0, 10) == Ids{"a", "b"});
}

TEST_CASE("pages begin and end where they were asked to") {
  SessionOrder order;
  for (int i = 0; i < 5; ++i) order.put(std::to_string(i), "w", 100 - i);
  CHECK(order.page({}, 1, 2) == Ids{"1", "2"});
  CHECK(order.page({}, 4, 2) == Ids{"4"});
  CHECK(order.page({}, 5, 2).empty());
}

TEST_CASE("one workspace has its own pages and its own count") {
  SessionOrder order;
  order.put("a", "one", 40);
  order.put("b", "two", 30);
  order.put("c", "one", 20);
  CHECK(order.page("one", 0, 10) == Ids{"a", "c"});
  CHECK(order.page("one", 1, 10) == Ids{"c"});
  CHECK(order.count("one") == 2);
  CHECK(order.count("two") == 1);
  CHECK(order.count("three") == 0);
  CHECK(order.page("three", 0, 10).empty());
}

TEST_CASE("a removed session is gone, and may come again") {
  SessionOrder order;
  order.put("a", "w", 40);
  order.put("b", "w", 30);
  order.remove("a");
  order.remove("nobody");
  CHECK(order.page("w", 0, 10) == Ids{"b"});
  order.put("a", "w", 10);
  CHECK(order.page("w", 0, 10) == Ids{"b", "a"});
  order.remove("a");
  order.remove("b");
  CHECK(order.count({}) == 0);
  CHECK(order.count("w") == 0);
}

}  // namespace
}  // namespace gantry::agent
