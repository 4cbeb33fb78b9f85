// SPDX-License-Identifier: Apache-2.0
// Prints the tree of one window and how long reading took; used by hand and by the desktop tests.
// Usage: atspi_tree [--pid N] [--title T] [--bounds X,Y,W,H] [--repeat N] [--quiet] [--budget MS]
#include "client.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <string>

using namespace gantry::atspi;

namespace {

void print_node(const Tree& tree, std::size_t index) {
  const TreeNode& node = tree.nodes[index];
  int depth = 0;
  for (int up = node.parent; up >= 0; up = tree.nodes[static_cast<std::size_t>(up)].parent) ++depth;
  std::printf("%*s%s (%s) \"%s\"", depth * 2, "", node.role.c_str(), node.role_name.c_str(),
              node.name.c_str());
  if (node.value) std::printf(" = \"%s\"", node.value->c_str());
  if (node.bounds) {
    const Bounds& b = *node.bounds;
    std::printf(" [%d,%d %dx%d]", b.x, b.y, b.width, b.height);
  }
  if (node.value_now)
    std::printf(" %g of %g..%g", *node.value_now, *node.value_min, *node.value_max);
  if (!node.showing) std::printf(" hidden");
  if (!node.enabled) std::printf(" disabled");
  if (node.focused) std::printf(" focused");
  if (node.checked) std::printf(*node.checked ? " checked" : " unchecked");
  if (!node.keyboard_shortcut.empty()) std::printf(" key=%s", node.keyboard_shortcut.c_str());
  for (const ActionInfo& action : node.actions) std::printf(" !%s", action.name.c_str());
  if (!node.identifier.empty()) std::printf(" #%s", node.identifier.c_str());
  std::printf("\n");
}

void print_tree(const Tree& tree, double ms, bool quiet) {
  std::size_t boxes = 0;
  std::size_t showing = 0;
  for (const TreeNode& node : tree.nodes) {
    boxes += node.bounds ? 1 : 0;
    showing += node.showing ? 1 : 0;
  }
  for (std::size_t i = 0; i < tree.nodes.size() && !quiet; ++i) print_node(tree, i);
  std::printf(
      "%zu nodes, %zu showing, %zu boxes, \"%s\" %s pid %u, by %s%s, %.1f ms, %llu calls%s%s%s\n",
      tree.nodes.size(), showing, boxes, tree.app_name.c_str(), tree.toolkit.c_str(), tree.pid,
      tree.matched_by.c_str(), tree.match_ambiguous ? " (ambiguous)" : "", ms,
      static_cast<unsigned long long>(tree.calls), tree.from_cache ? ", warm" : "",
      tree.truncated ? ", truncated: " : "", tree.truncated_reason.c_str());
  if (tree.degraded) {
    std::printf("degraded %s: %s (cure: %s)\n", tree.degraded->reason.c_str(),
                tree.degraded->message.c_str(), tree.degraded->cure.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  WindowHint hint;
  ReadOptions options;
  int repeat = 1;
  bool quiet = false;
  for (int i = 1; i < argc; ++i) {
    const char* next = i + 1 < argc ? argv[i + 1] : "";
    if (!std::strcmp(argv[i], "--pid"))
      hint.pid = static_cast<unsigned>(std::atoi(next)), ++i;
    else if (!std::strcmp(argv[i], "--title"))
      hint.title = next, ++i;
    else if (!std::strcmp(argv[i], "--repeat"))
      repeat = std::atoi(next), ++i;
    else if (!std::strcmp(argv[i], "--budget"))
      options.budget = milliseconds(std::atoi(next)), ++i;
    else if (!std::strcmp(argv[i], "--quiet"))
      quiet = true;
    else if (!std::strcmp(argv[i], "--bounds")) {
      Bounds box;
      if (std::sscanf(next, "%d,%d,%d,%d", &box.x, &box.y, &box.width, &box.height) == 4)
        hint.bounds = box;
      ++i;
    }
  }
  Client client({}, SessionEnvironment::of_this_process(), {});
  std::promise<BusStatus> probed;
  client.probe([&](const BusStatus& status) { probed.set_value(status); });
  const BusStatus status = probed.get_future().get();
  if (!status.up) {
    std::printf("no bus: %s\n", status.reason.c_str());
    return 1;
  }
  std::printf("bus from %s, %zu applications\n", status.source.c_str(), status.applications);
  for (int round = 0; round < repeat; ++round) {
    std::promise<gantry::Result<std::shared_ptr<const Tree>>> read;
    const TimePoint began = Clock::now();
    client.read_tree(hint, options, [&](auto result) { read.set_value(std::move(result)); });
    auto result = read.get_future().get();
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
    if (result) {
      print_tree(**result, ms, quiet || round + 1 < repeat);
    } else {
      std::printf("error %s: %s\n", std::string(gantry::code_name(result.error().code)).c_str(),
                  result.error().message.c_str());
    }
  }
  return 0;
}
