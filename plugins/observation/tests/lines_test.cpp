// SPDX-License-Identifier: Apache-2.0
#include "lines.hpp"

#include <catch2/catch.hpp>

#include <sstream>

#include "diff.hpp"
#include "random_tree.hpp"

namespace gantry::observation {
namespace {

Node element(std::string role, std::string name) {
  Node node;
  node.role = std::move(role);
  node.name = std::move(name);
  return node;
}

/// A window like a large settings dialog: 1,500 elements, most of which can be acted on.
Node large_window() {
  Node root = element("frame", "Settings");
  for (int page = 0; page < 50; ++page) {
    Node panel = element("panel", "");
    Node box = element("filler", "");
    for (int i = 0; i < 28; ++i) {
      Node button = element(i % 3 == 0 ? "check box" : "push button",
                            "Option " + std::to_string(page * 28 + i));
      button.actions = {"click"};
      if (i % 3 == 0) button.selected = i % 2 == 0;
      box.children.push_back(std::move(button));
    }
    panel.children.push_back(std::move(box));
    root.children.push_back(std::move(panel));
  }
  assign_ids(root);
  return root;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST_CASE("a_line_says_what_matters") {
  Node node = element("Edit", "First \"name\"\n");
  node.id = "root.0.2";
  node.value = "Ada";
  node.focused = true;
  node.enabled = false;
  CHECK(element_line(node) == R"(0.2 Edit "First \"name\"\n" ="Ada" focused disabled)");

  Node box = element("CheckBox", "Wrap");
  box.id = "custom";
  box.selected = true;
  CHECK(element_line(box) == R"(custom CheckBox "Wrap" [x])");
  box.selected = false;
  box.expanded = false;
  box.cut_children = 3;
  CHECK(element_line(box) == R"(custom CheckBox "Wrap" [ ] [+] +3)");
}

TEST_CASE("a_password_is_marked") {
  Node node = element("password text", "Password");
  node.id = "root.1";
  node.password = true;
  CHECK(element_line(node) == R"(1 password text "Password" secret)");
}

TEST_CASE("elements_that_say_nothing_have_no_line") {
  CHECK_FALSE(has_line(element("filler", "")));
  CHECK(has_line(element("push button", "")));
  CHECK(has_line(element("label", "Name:")));
  Node group = element("push button", "");
  group.children.push_back(element("label", "x"));
  CHECK_FALSE(has_line(group));
  group.actions = {"click"};
  CHECK(has_line(group));
}

TEST_CASE("an_actionable_element_takes_at_most_60_bytes") {
  const Node root = large_window();
  REQUIRE(count_nodes(root) == 1501);
  const LinePage page = render_lines(root, {});
  CHECK_FALSE(page.last_id);
  CHECK(page.count == 1401);
  CHECK(json_string_size(page.text) / page.count <= 60);
}

TEST_CASE("pages_of_lines_lose_nothing") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    tests::RandomTree random(seed);
    const Node root = random.make(80);
    const LinePage whole = render_lines(root, {});
    std::vector<std::string> joined;
    LineOptions options;
    options.max_bytes = 1 + random.below(300);
    for (;;) {
      const LinePage page = render_lines(root, options);
      REQUIRE(page.known_cursor);
      REQUIRE(page.count > 0);
      REQUIRE(page.total == whole.total);
      REQUIRE((page.count == 1 || json_string_size(page.text) <= options.max_bytes));
      for (std::string& line : split(page.text)) joined.push_back(std::move(line));
      if (!page.last_id) break;
      options.after_id = *page.last_id;
    }
    REQUIRE(joined == split(whole.text));
  }
}

TEST_CASE("a_skeleton_counts_what_is_below_and_scope_leads_there") {
  Node root = element("Window", "Main");
  Node bar = element("ToolBar", "Tools");
  bar.children = {element("Button", "Open"), element("Button", "Save")};
  root.children = {bar, element("Button", "Help")};
  assign_ids(root);
  LineOptions options;
  options.skeleton = true;
  CHECK(render_lines(root, options).text == "root Window \"Main\" +4\n0 ToolBar \"Tools\" +2");
  const Node* scope = find_by_id(root, "0");
  REQUIRE(scope != nullptr);
  CHECK(scope->id == "root.0");
  CHECK(render_lines(*scope, {}).count == 3);
}

TEST_CASE("an_unknown_cursor_is_told") {
  LineOptions options;
  options.after_id = "root.99";
  CHECK_FALSE(render_lines(large_window(), options).known_cursor);
}

TEST_CASE("changes_as_lines") {
  Node before = element("Window", "Main");
  before.children = {element("Button", "A"), element("Button", "B"), element("Button", "C")};
  Node after = before;
  std::swap(after.children[0], after.children[1]);
  after.children[2].enabled = false;
  Node group = element("Group", "New");
  group.children = {element("filler", ""), element("Edit", "E")};
  after.children.push_back(group);
  before.children.push_back(element("Link", "Gone"));
  assign_ids(before);
  assign_ids(after);
  CHECK(diff_lines(before, after) ==
        std::vector<std::string>{"> 0 -> 1 Button \"A\"", "~ 2 Button \"C\" disabled (enabled)",
                                 "- 3 Link \"Gone\"", "+ 3 Group \"New\"", "+ 3.1 Edit \"E\""});
}

}  // namespace
}  // namespace gantry::observation
