// SPDX-License-Identifier: Apache-2.0
#include "sketch.hpp"

#include <catch2/catch.hpp>

#include "sketch_roles.hpp"
#include "tree_yaml.hpp"

namespace gantry::observation {
namespace {

SketchOptions options_of(const YAML::Node& row) {
  SketchOptions options;
  options.grid_width = row["grid"][0].as<int>();
  options.grid_height = row["grid"][1].as<int>();
  options.unicode_box = row["unicode"].as<bool>(false);
  if (const YAML::Node switches = row["options"]) {
    options.occlusion_prune = switches["occlusion_prune"].as<bool>(true);
    options.tab_index_badges = switches["tab_index_badges"].as<bool>(true);
  }
  return options;
}

std::string expected_text(const YAML::Node& row) {
  std::string text = row["text"].as<std::string>();
  if (!row["legend"]) return text;
  text += "\n\n  LEGEND\n  ──────────────────────────────────────────────────";
  for (const YAML::Node& entry : row["legend"]) {
    const auto line = entry.as<std::string>();
    const std::size_t key = line.find(' ');
    text += "\n  " + std::string(4 - key, ' ') + line;
  }
  return text;
}

TEST_CASE("sketches are drawn exactly as specified") {
  for (const YAML::Node& row : tests::load_cases("sketch.yaml")) {
    INFO(row["name"].as<std::string>());
    Node root = tests::node_from(row["tree"]);
    assign_ids(root);
    const Rect reference = row["reference"] ? tests::rect_from(row["reference"]) : root.bounds;
    const Sketch sketch = draw_sketch(root, reference, options_of(row));
    CHECK("\n" + sketch.text == "\n" + expected_text(row));
    CHECK(sketch.legend.size() == (row["legend"] ? row["legend"].size() : 0));
    CHECK(sketch.elements.size() == count_nodes(root));
    std::vector<std::string> occluded;
    for (const SketchElement& element : sketch.elements) {
      if (element.occluded) occluded.push_back(element.node->id);
    }
    CHECK(occluded == row["occluded"].as<std::vector<std::string>>(std::vector<std::string>()));
  }
}

TEST_CASE("roles are normalised before they are compared") {
  CHECK(normalize_role(" AXButton ") == "button");
  CHECK(normalize_role("radio_button") == "radiobutton");
  CHECK(normalize_role("Tool Bar") == "toolbar");
  CHECK(normalize_role("AlertDialog") == "lertdialog");
  CHECK(normalize_role("axa").empty());
  CHECK(is_focusable_role("menuitem"));
  CHECK_FALSE(is_focusable_role("pushbutton"));
}

TEST_CASE("a value becomes a fraction in the forms that toolkits use") {
  const auto of_text = [](const char* value) {
    Node node;
    node.value = value;
    return value_fraction(node);
  };
  CHECK(of_text("40%") == 0.4);
  CHECK(of_text("3 of 4") == 0.75);
  CHECK(of_text("0.25") == 0.25);
  CHECK(of_text("75") == 0.75);
  CHECK(of_text("250%") == 1.0);
  CHECK_FALSE(of_text("250").has_value());
  CHECK_FALSE(of_text("loud").has_value());
  CHECK_FALSE(of_text("").has_value());
  Node node;
  node.value_now = 5.0;
  node.value_min = 0.0;
  node.value_max = 0.0;
  CHECK_FALSE(value_fraction(node).has_value());
}

}  // namespace
}  // namespace gantry::observation
