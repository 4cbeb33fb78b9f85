// SPDX-License-Identifier: Apache-2.0
// Choosing from a list that opens in a pop-up whose places are told wrongly, as GTK 4.8 does.
#include <catch2/catch.hpp>

#include <algorithm>

#include "fake_desktop.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

/// A drop-down of three options. Its first one is chosen; the arrows move in the open list.
struct DropDown : Bench {
  DropDown() {
    draw();
    desktop.on_input = [this] { take_input(); };
  }

  ObserverToolResult select(const std::string& option) {
    return run("select_option", R"({"selector":"//ComboBox","option_name":")" + option + R"("})");
  }
  [[nodiscard]] std::size_t pressed(const std::string& keys) const {
    return static_cast<std::size_t>(
        std::count_if(desktop.key_requests.begin(), desktop.key_requests.end(),
                      [&](const KeyRequest& request) { return request.keys == keys; }));
  }

  const std::vector<std::string> options{"Guest", "User", "Admin"};
  bool open = false;
  bool listens = true;     ///< To the arrows.
  std::size_t at = 0;      ///< Has the keyboard.
  std::size_t chosen = 0;  ///< Shown while it is closed.
  std::size_t slip = 0;    ///< Chooses so many further down than it shows.

 private:
  void take_input() {
    if (!open && desktop.key_requests.empty()) {
      open = true;
    } else if (open && !desktop.key_requests.empty()) {
      const std::string& keys = desktop.key_requests.back().keys;
      if (listens && keys == "down") at = std::min(at + 1, options.size() - 1);
      if (listens && keys == "up" && at > 0) --at;
      if (keys == "enter") chosen = (at + slip) % options.size();
      if (keys == "enter" || keys == "escape") open = false;
    }
    draw();
  }
  void draw() {
    A11yTree tree;
    tree.pid = 42;
    tests::add_node(tree, -1, "Window", "Main", {0, 0, 200, 100});
    tests::add_node(tree, 0, "ComboBox", "Role", {10, 10, 80, 20});
    tests::add_node(tree, 1, "Label", options[chosen], {12, 12, 40, 16});
    if (open) {
      tests::add_node(tree, 1, "List", "", {0, 0, 80, 60});
      for (const std::string& option : options) {
        // All in one place, and not where they are drawn.
        tests::add_node(tree, 3, "ListItem", "", {0, 0, 80, 20});
        const int item = static_cast<int>(tree.nodes.size()) - 1;
        tree.nodes.back().focused = static_cast<std::size_t>(item - 4) / 2 == at;
        tests::add_node(tree, item, "Label", option, {0, 0, 80, 20});
      }
    }
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      tree.nodes[i].native = "app:" + std::to_string(i);
    }
    desktop.a11y_tree = tree;
  }
};

TEST_CASE("an option of an open list is reached with the keyboard and read back") {
  DropDown bench;
  const auto result = bench.select("Admin");
  CHECK(result.ok);
  CHECK(has(result, R"("effect":"confirmed")"));
  CHECK(bench.chosen == 2);
  CHECK(bench.desktop.pointer_requests.size() == 1);  // it opened the list
  CHECK(bench.pressed("down") == 2);
  CHECK(bench.pressed("enter") == 1);
}

TEST_CASE("nothing is chosen when the keyboard does not reach the option") {
  DropDown bench;
  bench.listens = false;
  const auto result = bench.select("User");
  CHECK_FALSE(result.ok);
  CHECK(result.error_code == "PatternUnsupported");
  CHECK(has(result, R"("effect":"refused")"));
  CHECK(bench.pressed("enter") == 0);
  CHECK(bench.pressed("escape") == 1);
  CHECK_FALSE(bench.open);
}

TEST_CASE("an option that the list does not have closes it again") {
  DropDown bench;
  const auto result = bench.select("Owner");
  CHECK(result.error_code == "ElementNotFound");
  CHECK(result.message.find("option not found") != std::string::npos);
  CHECK(has(result, R"("options":["Guest","User","Admin"])"));
  CHECK(has(result, R"("effect":"refused")"));
  CHECK_FALSE(bench.open);
  CHECK(bench.chosen == 0);
}

TEST_CASE("an element that shows its options closed is not opened for one that it does not have") {
  Bench bench;
  A11yTree tree;
  tree.pid = 42;
  tests::add_node(tree, -1, "Window", "Main", {0, 0, 200, 100});
  tests::add_node(tree, 0, "ComboBox", "Language", {10, 10, 80, 20});
  tests::add_node(tree, 1, "Menu", "", {0, 0, 0, 0});
  for (int i = 0; i < 30; ++i) {
    tests::add_node(tree, 2, "MenuItem", "Dialect " + std::to_string(i + 100), {0, 0, 0, 0});
  }
  tests::add_node(tree, 2, "MenuItem", "Welsh", {0, 0, 0, 0});
  bench.desktop.a11y_tree = tree;
  const std::int64_t began = bench.desktop.now_ns;
  const auto result =
      bench.run("select_option", R"({"selector":"//ComboBox","option_name":"Wlesh"})");
  CHECK(result.error_code == "ElementNotFound");
  CHECK(has(result, R"("did_you_mean":[{"option_name":"Welsh"}])"));
  CHECK(has(result, R"("options":["Dialect 100",)"));
  CHECK_FALSE(has(result, "Dialect 120"));  // twenty are told
  CHECK(bench.desktop.pointer_requests.empty());
  CHECK(bench.desktop.key_requests.empty());
  CHECK(bench.desktop.now_ns - began <= 100'000'000);  // one look afterwards
  const auto none = bench.run("select_option", R"({"selector":"//ComboBox","option_index":31})");
  CHECK(none.error_code == "ElementNotFound");
  CHECK(has(none, R"("did_you_mean")") == false);
}

TEST_CASE("the made-up desktop answers for an option that is not there as published") {
  DropDown bench;
  bench.desktop.window_list->adapter = "mock";
  bench.desktop.window_list->is_mock = true;
  const auto result = bench.select("Gest");
  CHECK(result.error_code == "Internal");
  CHECK(result.message == "option not found after opening selector");
}

TEST_CASE("a list that chooses something else is told on") {
  DropDown bench;
  bench.slip = 1;
  const auto result = bench.select("User");
  CHECK_FALSE(result.ok);
  CHECK(result.message == "the element shows another option than the one asked for");
}

}  // namespace
}  // namespace gantry::observation
