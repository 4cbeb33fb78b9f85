// SPDX-License-Identifier: Apache-2.0
//
// What the engine does with a window of 1,500 elements that is already captured: finding (aim: at
// most 2 ms for a find_element on a warm tree), comparing (at most 5 ms), drawing a sketch (at most
// 3 ms), lines and JSON.
#include <benchmark/benchmark.h>

#include <string>

#include "diff.hpp"
#include "lines.hpp"
#include "near_matches.hpp"
#include "node_json.hpp"
#include "selector.hpp"
#include "sketch.hpp"

using namespace gantry::observation;

namespace {

Node element(std::string role, std::string name) {
  Node node;
  node.role = std::move(role);
  node.name = std::move(name);
  node.bounds = {10, 10, 100, 20};
  return node;
}

/// A settings window: 30 pages of 49 controls, unnamed containers between.
Node window() {
  Node root = element("Window", "Settings");
  for (int page = 0; page < 30; ++page) {
    Node panel = element("Pane", "");
    for (int i = 0; i < 48; ++i) {
      const std::string name = "Option " + std::to_string(page * 48 + i);
      Node control = element(i % 2 == 0 ? "Button" : "CheckBox", name);
      control.actions = {"click"};
      panel.children.push_back(std::move(control));
    }
    root.children.push_back(std::move(panel));
  }
  Node list = element("List", "");
  for (int i = 0; i < 29; ++i) list.children.push_back(element("Row", ""));
  root.children.push_back(std::move(list));
  assign_ids(root);
  return root;
}

/// Rows and controls came, went, moved and changed.
Node changed(Node root) {
  for (std::size_t page = 0; page < root.children.size(); page += 3) {
    auto& children = root.children[page].children;
    children.insert(children.begin(), element("Button", "New"));
    children[5].enabled = false;
    std::swap(children[7], children[20]);
    children.pop_back();
  }
  const auto clear = [](const auto& self, Node& node) -> void {
    node.id.clear();
    for (Node& child : node.children) self(self, child);
  };
  clear(clear, root);
  assign_ids(root);
  return root;
}

/// All that find_element does with a tree: read the selector, search, name the element, answer.
void find(benchmark::State& state, const char* text) {
  const Node root = window();
  for (auto _ : state) {
    const Outcome<Selector> selector = Selector::parse(text);
    const std::vector<const Node*> found = selector->matches(root);
    if (found.empty()) {
      benchmark::DoNotOptimize(near_matches_json(root, near_matches(root, *selector)));
    } else {
      benchmark::DoNotOptimize(derive_selector(root, *found.front()));
    }
  }
  state.counters["elements"] = static_cast<double>(count_nodes(root));
}
BENCHMARK_CAPTURE(find, path, "Window/Pane/CheckBox[name=\"Option 1439\"]")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find, anywhere, "//CheckBox[name~=\"Option 1.*9\"]")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find, miss_with_near_matches, "Window/Button[name=\"Optoin 1439\"]")
    ->Unit(benchmark::kMicrosecond);

void compare(benchmark::State& state, DiffForm form) {
  const Node before = window();
  const Node after = changed(before);
  std::size_t bytes = 0;
  for (auto _ : state) {
    const TreeDiff diff = diff_trees(before, after, form);
    bytes = diff.changes.text.size();
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK_CAPTURE(compare, custom, DiffForm::Custom)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(compare, json_patch, DiffForm::JsonPatch)->Unit(benchmark::kMicrosecond);

void compare_unchanged(benchmark::State& state) {
  const Node before = window();
  const Node after = before;
  for (auto _ : state) benchmark::DoNotOptimize(diff_trees(before, after, DiffForm::Custom));
}
BENCHMARK(compare_unchanged)->Unit(benchmark::kMicrosecond);

void as_lines(benchmark::State& state) {
  const Node root = window();
  LinePage page;
  for (auto _ : state) page = render_lines(root, {});
  state.counters["bytes_per_line"] =
      static_cast<double>(json_string_size(page.text)) / static_cast<double>(page.count);
}
BENCHMARK(as_lines)->Unit(benchmark::kMicrosecond);

void as_sketch(benchmark::State& state) {
  Node root = window();
  // Spread over the window, so that every control has its cells.
  root.bounds = {0, 0, 1200, 900};
  int page = 0;
  for (Node& panel : root.children) {
    panel.bounds = {0, page * 29, 1200, 29};
    int column = 0;
    for (Node& control : panel.children) control.bounds = {25 * column++, page * 29, 24, 28};
    ++page;
  }
  const SketchOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(draw_sketch(root, root.bounds, options));
}
BENCHMARK(as_sketch)->Unit(benchmark::kMicrosecond);

void as_json(benchmark::State& state) {
  const Node root = window();
  for (auto _ : state) benchmark::DoNotOptimize(node_json(root));
}
BENCHMARK(as_json)->Unit(benchmark::kMicrosecond);

}  // namespace
