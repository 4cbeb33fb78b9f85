// SPDX-License-Identifier: Apache-2.0
// Runs every example of docs/tools.md against a small desktop.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "../../../tests/support/doc_examples.hpp"
#include "world.hpp"

using namespace gantry;
using namespace gantry::desk::tests;

namespace {

std::optional<std::string> small_desktop(const ObserverToolRequest& request) {
  if (request.tool == "list_windows") {
    return windows_answer({{"w:notes", "Notes", "pad", 1, true}, {"w:mail", "Mail", "mail", 2}});
  }
  if (request.tool == "find_element") {
    return R"({"ok":true,"window_uid":"w:notes","all_matches":[{"element_id":"root.1",)"
           R"("role":"Button","name":"Save","bounds":{"x":1,"y":2,"width":3,"height":4}}]})";
  }
  return R"({"ok":true,"effect":"confirmed"})";
}

}  // namespace

TEST_CASE("every example of the page asks the observer for what it says") {
  const auto all = gantry::testing::doc_examples("docs/tools.md");
  REQUIRE(all.size() >= 9);
  for (const std::vector<std::string>& example : all) {
    World world;
    world.observer = small_desktop;
    const std::size_t space = example.front().find(' ');
    const auto result =
        world.run(example.front().substr(0, space), example.front().substr(space + 1));
    std::vector<std::string> happened{example.front()};
    for (const ObserverToolRequest& request : world.requests) {
      happened.push_back("  " + request.tool + ' ' + request.arguments.text);
    }
    INFO(world.text());
    CHECK(happened == example);
    REQUIRE(result);
    CHECK_FALSE(result->is_error);
  }
}
