// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace gantry::mock {
namespace {

struct WindowRow {
  std::string_view handle, title, process;
  std::int64_t pid;
  Rect bounds;
};

constexpr std::array<WindowRow, 3> kWindows{{
    {"1001", "Untitled — Notepad", "notepad.exe", 1234, {80, 60, 800, 600}},
    {"1002",
     "GitHub · Where software is built — Google Chrome",
     "chrome.exe",
     5678,
     {0, 0, 1920, 1050}},
    {"1003", "screen_observer.py — Visual Studio Code", "code.exe", 9012, {960, 0, 960, 1050}},
}};

struct NodeRow {
  std::string_view id;
  int parent;
  std::string_view role, name;
  std::optional<std::string_view> value;
  Rect bounds;
};

/// In the order of the recorded answers: the status bar comes last, but keeps its id root.4.
constexpr std::array<NodeRow, 17> kNodes{{
    {"root", -1, "Window", "Untitled — Notepad", {}, {80, 60, 800, 600}},
    {"root.0", 0, "MenuBar", "MenuBar", {}, {80, 60, 800, 22}},
    {"root.0.0", 1, "MenuItem", "File", {}, {80, 60, 56, 22}},
    {"root.0.1", 1, "MenuItem", "Edit", {}, {138, 60, 56, 22}},
    {"root.0.2", 1, "MenuItem", "Format", {}, {196, 60, 56, 22}},
    {"root.0.3", 1, "MenuItem", "View", {}, {254, 60, 56, 22}},
    {"root.0.4", 1, "MenuItem", "Help", {}, {312, 60, 56, 22}},
    {"root.1",
     0,
     "Document",
     "Text Editor",
     "Hello, world!\nThis is a test document.\nLine 3 has some content here.\n",
     {80, 82, 800, 514}},
    {"root.2", 0, "ScrollBar", "Horizontal ScrollBar", {}, {80, 596, 784, 18}},
    {"root.3", 0, "ScrollBar", "Vertical ScrollBar", {}, {864, 82, 18, 532}},
    {"root.5", 0, "ProgressBar", "Saving", {}, {560, 600, 200, 10}},
    {"root.6", 0, "CheckBox", "Word Wrap", {}, {80, 636, 120, 18}},
    {"root.4", 0, "StatusBar", "Status Bar", {}, {80, 614, 800, 22}},
    {"root.4.0", 12, "Text", "Position", "Ln 1, Col 1", {80, 614, 188, 22}},
    {"root.4.1", 12, "Text", "Zoom", "100%", {270, 614, 188, 22}},
    {"root.4.2", 12, "Text", "Encoding", "UTF-8", {460, 614, 188, 22}},
    {"root.4.3", 12, "Text", "EOL", "Windows (CRLF)", {650, 614, 188, 22}},
}};

A11yNode make_node(const NodeRow& row) {
  A11yNode node;
  node.parent = row.parent;
  node.id = row.id;
  node.role = row.role;
  node.role_name = row.role;
  node.name = row.name;
  if (row.value) node.value = std::string(*row.value);
  node.bounds = row.bounds;
  node.native = fmt::format("mock:{}", row.id);
  return node;
}

A11yNode& node_of(std::vector<A11yNode>& nodes, std::string_view role) {
  return *std::find_if(nodes.begin(), nodes.end(),
                       [&](const A11yNode& node) { return node.role == role; });
}

A11yTree make_tree() {
  A11yTree tree;
  for (const NodeRow& row : kNodes) tree.nodes.push_back(make_node(row));
  node_of(tree.nodes, "Document").focused = true;
  A11yNode& progress = node_of(tree.nodes, "ProgressBar");
  progress.value_now = 40;
  progress.value_min = 0;
  progress.value_max = 100;
  node_of(tree.nodes, "CheckBox").selected = true;
  tree.application = "notepad.exe";
  tree.toolkit = "mock";
  tree.matched_by = "every window of the mock desktop shows the same tree";
  tree.sequence = 1;
  tree.warm = true;
  return tree;
}

}  // namespace

World::World(std::string_view nonce) : tree_(make_tree()) {
  windows_.adapter = "MockAdapter";
  windows_.platform = "Linux";
  windows_.is_mock = true;
  windows_.serial = 1;
  for (std::size_t i = 0; i < kWindows.size(); ++i) {
    const WindowRow& row = kWindows[i];
    WindowInfo window;
    window.handle = row.handle;
    window.uid = fmt::format("mock:{}:{}", i, nonce);
    window.title = row.title;
    window.process = row.process;
    window.app_id = row.process;
    window.pid = row.pid;
    window.bounds = row.bounds;
    window.frame = row.bounds;
    window.focused = i == 0;
    window.stacking = static_cast<std::int32_t>(kWindows.size() - 1 - i);
    windows_.windows.insert(windows_.windows.begin(), std::move(window));  // bottom to top
  }
}

const WindowInfo* World::find(std::string_view handle) const {
  const auto found =
      std::find_if(windows_.windows.begin(), windows_.windows.end(),
                   [&](const WindowInfo& window) { return window.handle == handle; });
  return found != windows_.windows.end() ? &*found : nullptr;
}

}  // namespace gantry::mock
