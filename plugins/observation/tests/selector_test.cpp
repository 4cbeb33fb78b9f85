// SPDX-License-Identifier: Apache-2.0
#include "selector.hpp"

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "random_tree.hpp"
#include "tree_yaml.hpp"

namespace gantry::observation {
namespace {

Node case_tree(const YAML::Node& cases) {
  Node root = tests::node_from(cases["tree"]);
  assign_ids(root);
  return root;
}

std::vector<std::string> ids(const std::vector<const Node*>& nodes) {
  std::vector<std::string> out;
  out.reserve(nodes.size());
  for (const Node* node : nodes) out.push_back(node->id);
  return out;
}

TEST_CASE("selectors_find_elements_in_document_order") {
  const YAML::Node cases = tests::load_cases("selectors.yaml");
  const Node root = case_tree(cases);
  for (const YAML::Node& row : cases["matches"]) {
    const auto text = row["selector"].as<std::string>();
    CAPTURE(text);
    const Outcome<Selector> selector = Selector::parse(text);
    if (!selector.ok()) FAIL(selector.failure().message);
    CHECK(ids(selector->matches(root)) == row["ids"].as<std::vector<std::string>>());
    if (row["canonical"]) CHECK(selector->canonical() == row["canonical"].as<std::string>());
  }
}

TEST_CASE("selector_errors_name_the_column") {
  for (const YAML::Node& row : tests::load_cases("selectors.yaml")["errors"]) {
    const auto text = row["selector"].as<std::string>();
    CAPTURE(text);
    const Outcome<Selector> selector = Selector::parse(text);
    REQUIRE(!selector.ok());
    CHECK(selector.failure().fault == Fault::BadRequest);
    const std::string& message = selector.failure().message;
    CAPTURE(message);
    const std::string start =
        fmt::format("selector parse error: column {}: ", row["column"].as<int>());
    CHECK(message.starts_with(start));
    CHECK(message.find(row["expected"].as<std::string>()) != std::string::npos);
  }
}

TEST_CASE("derived_selector_resolves_to_exactly_its_element") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    tests::RandomTree random(seed);
    const Node root = random.make(60);
    walk(root, [&](const Node& node, int) {
      const std::string text = derive_selector(root, node);
      CAPTURE(seed, node.id, text);
      const Outcome<Selector> selector = Selector::parse(text);
      if (!selector.ok()) FAIL(selector.failure().message);
      const std::vector<const Node*> found = selector->matches(root);
      REQUIRE(found.size() == 1);
      REQUIRE(found.front() == &node);
      // What an answer prints reads back the same.
      REQUIRE(selector->canonical() == text);
    });
  }
}

TEST_CASE("derived_selector_of_deep_and_long_names_stays_in_bounds") {
  Node root;
  root.role = "Window";
  Node* last = &root;
  for (int depth = 0; depth < 300; ++depth) {
    Node child;
    child.role = "Group";
    child.name = std::string(190, 'x');
    last->children.push_back(child);
    last->children.push_back(child);
    last = &last->children.back();
  }
  last->name = std::string(100'000, 'y');
  const std::string text = derive_selector(root, *last);
  CHECK(text.size() <= kMaxSelectorBytes);
  const Outcome<Selector> selector = Selector::parse(text);
  REQUIRE(selector.ok());
  REQUIRE(selector->matches(root) == std::vector<const Node*>{last});
}

TEST_CASE("derived_selector_of_a_foreign_element_is_empty") {
  const Node root;
  const Node other;
  CHECK(derive_selector(root, other).empty());
}

TEST_CASE("hostile_selectors_are_bounded") {
  CHECK(!Selector::parse(std::string(kMaxSelectorBytes + 1, 'a')).ok());
  std::string many = "a";
  for (std::size_t i = 0; i < kMaxSelectorSteps; ++i) many += "/a";
  CHECK(!Selector::parse(many).ok());

  Node root;
  root.role = "Window";
  for (int i = 0; i < 2000; ++i) {
    Node child;
    child.name = std::string(40, 'a') + "!";
    root.children.push_back(child);
  }
  const Outcome<Selector> expensive = Selector::parse(R"(//*[name~="(a+)+$"])");
  REQUIRE(expensive.ok());
  CHECK(expensive->matches(root).empty());
  CHECK(expensive->gave_up());
}

}  // namespace
}  // namespace gantry::observation
