// SPDX-License-Identifier: Apache-2.0
#include "tree.hpp"

#include <catch2/catch.hpp>

#include "prose.hpp"
#include "structure.hpp"
#include "tree_yaml.hpp"

namespace gantry::observation {
namespace {

TEST_CASE("tree_hash of a leaf is the published vector") {
  Node leaf;
  leaf.role = "Text";
  leaf.name = "Zoom";
  leaf.value = "100%";
  leaf.bounds = {270, 614, 188, 22};
  CHECK(tree_hash(leaf) == "sha1:ffc129f3415645bae64973b40f753b8f6eb0a604");
}

TEST_CASE("tree_hash covers what the protocol lists and nothing else") {
  const auto base = [] {
    Node node;
    node.role = "Window";
    node.name = "w";
    node.children.emplace_back().role = "CheckBox";
    return node;
  };
  const std::string hash = tree_hash(base());
  const auto changed = [&](auto change) {
    Node node = base();
    change(node);
    return tree_hash(node) != hash;
  };
  CHECK(changed([](Node& n) { n.role = "Dialog"; }));
  CHECK(changed([](Node& n) { n.name = "v"; }));
  CHECK(changed([](Node& n) { n.value = "x"; }));
  CHECK(changed([](Node& n) { n.bounds.width = 1; }));
  CHECK(changed([](Node& n) { n.enabled = false; }));
  CHECK(changed([](Node& n) { n.children.clear(); }));
  CHECK_FALSE(changed([](Node& n) { n.value = ""; }));
  CHECK_FALSE(changed([](Node& n) { n.id = "other"; }));
  CHECK_FALSE(changed([](Node& n) { n.focused = true; }));
  CHECK_FALSE(changed([](Node& n) { n.description = "d"; }));
  CHECK_FALSE(changed([](Node& n) { n.children[0].selected = true; }));
}

TEST_CASE("ids are positional unless the adapter gave one") {
  Node root;
  root.children.resize(3);
  root.children[1].id = "root.9";
  root.children[1].children.resize(1);
  assign_ids(root);
  CHECK(root.id == "root");
  CHECK(root.children[0].id == "root.0");
  CHECK(root.children[2].id == "root.2");
  CHECK(root.children[1].children[0].id == "root.9.0");
  CHECK(find_by_id(root, "root.9.0") == &root.children[1].children[0]);
  CHECK(find_by_id(root, "root.1") == nullptr);
}

TEST_CASE("a window is described in words") {
  for (const YAML::Node& row : tests::load_cases("prose.yaml")) {
    INFO(row["name"].as<std::string>());
    const std::string process = row["window"]["process"].as<std::string>();
    const std::string title = row["window"]["title"].as<std::string>();
    CHECK(describe_tree({process, title, tests::rect_from(row["window"]["at"])},
                        tests::node_from(row["tree"])) == row["text"].as<std::string>());
  }
}

TEST_CASE("descriptions are cut to four characters a token") {
  CHECK(cut_to_tokens("Größe Größe", 2).text == "Größe Gr… [truncated]");
  CHECK(cut_to_tokens("Größe Größe", 2).truncated);
  CHECK(cut_to_tokens("12345678", 2).text == "12345678");
  CHECK_FALSE(cut_to_tokens("12345678", 2).truncated);
  CHECK(cut_to_tokens("anything", 0).text == "anything");
  CHECK(cut_to_tokens("anything", 4'000'000'000'000'000'000).text == "anything");
}

StructureQuery query_from(const YAML::Node& in) {
  StructureQuery query;
  query.depth = in["depth"].as<int>(5);
  query.roles = in["roles"].as<std::vector<std::string>>(std::vector<std::string>());
  query.exclude_roles =
      in["exclude_roles"].as<std::vector<std::string>>(std::vector<std::string>());
  query.name_regex = in["name_regex"].as<std::string>("");
  query.visible_only = in["visible_only"].as<bool>(false);
  query.prune_empty = in["prune_empty"].as<bool>(false);
  query.max_nodes = in["max_nodes"].as<int>(0);
  query.page_cursor = in["page_cursor"].as<std::string>("");
  if (in["screen"]) query.screen = tests::rect_from(in["screen"]);
  return query;
}

Node structure_tree() {
  Node root = tests::node_from(tests::load_cases("structure.yaml")["tree"]);
  assign_ids(root);
  return root;
}

TEST_CASE("views show what was asked for") {
  const Node root = structure_tree();
  for (const YAML::Node& row : tests::load_cases("structure.yaml")["cases"]) {
    INFO(row["name"].as<std::string>());
    const StructureView view = make_view(root, query_from(row["query"]));
    const bool page = row["page"].as<bool>(false);
    std::vector<std::string> ids;
    std::map<std::string, std::size_t> cut;
    if (view.tree) {
      CHECK((view.tree->id == "page-root") == page);
      walk(*view.tree, [&](const Node& node, int depth) {
        if (page && depth == 0) return;
        ids.push_back(node.id);
        if (node.cut_children) cut[node.id] = *node.cut_children;
      });
    }
    CHECK(ids == row["ids"].as<std::vector<std::string>>());
    CHECK(view.node_count == ids.size());
    CHECK(view.truncated == row["truncated"].as<bool>(false));
    CHECK(view.next_cursor.value_or("") == row["next_cursor"].as<std::string>(""));
    CHECK(view.depth_truncated == row["depth_truncated"].as<bool>(false));
    CHECK(view.warning.starts_with(row["warning"].as<std::string>("")));
    CHECK(view.warning.empty() == !row["warning"].IsDefined());
    if (row["cut"]) CHECK((cut == row["cut"].as<std::map<std::string, std::size_t>>()));
  }
}

TEST_CASE("a view shortens texts by code points") {
  const Node root = structure_tree();
  for (const YAML::Node& row : tests::load_cases("structure.yaml")["texts"]) {
    StructureQuery query;
    query.max_text_len = row["max_text_len"].as<int>();
    const StructureView view = make_view(root, query);
    std::vector<std::string> names;
    walk(*view.tree, [&](const Node& node, int) { names.push_back(node.name); });
    CHECK(names == row["names"].as<std::vector<std::string>>());
    CHECK(find_by_id(*view.tree, "root.1.0")->value == row["value"].as<std::string>());
  }
}

}  // namespace
}  // namespace gantry::observation
