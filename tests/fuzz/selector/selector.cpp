// SPDX-License-Identifier: Apache-2.0
//
// Any text as a selector, and as the name and role of elements that a selector is derived for. It
// looks for a canonical form that does not read back to itself, matches out of document order or
// twice, and a derived selector that does not lead to its element alone.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "selector.hpp"

using namespace gantry::observation;

namespace {

void require(bool fine) {
  if (!fine) std::abort();
}

/// Elements whose names and roles are pieces of the input, often equal ones.
Node make_tree(std::string_view input) {
  Node root;
  root.role = "Window";
  const std::size_t half = input.size() / 2;
  const std::string_view parts[] = {input, input.substr(0, half), input.substr(half), "Button", ""};
  for (std::size_t i = 0; i < 6; ++i) {
    Node child;
    child.role = parts[i % 5];
    child.name = parts[(i * 2 + 1) % 5];
    Node twin = child;
    child.children.push_back(twin);
    child.children.push_back(twin);
    root.children.push_back(child);
  }
  assign_ids(root);
  return root;
}

void check_matches(const Node& root, const Selector& selector) {
  std::map<const Node*, std::size_t> order;
  walk(root, [&](const Node& node, int) { order.emplace(&node, order.size()); });
  const std::vector<const Node*> found = selector.matches(root);
  require(std::is_sorted(found.begin(), found.end(),
                         [&](const Node* a, const Node* b) { return order.at(a) < order.at(b); }));
  require(std::adjacent_find(found.begin(), found.end()) == found.end());
}

void check_derived(const Node& root) {
  walk(root, [&](const Node& node, int) {
    const Outcome<Selector> derived = Selector::parse(derive_selector(root, node));
    require(derived.ok());
    const std::vector<const Node*> found = derived->matches(root);
    require(found.size() == 1 && found.front() == &node);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 512) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Node root = make_tree(text);
  const Outcome<Selector> selector = Selector::parse(text);
  if (selector.ok()) {
    check_matches(root, *selector);
  } else {
    require(selector.failure().message.starts_with("selector parse error: column "));
  }
  // A role that is not UTF-8 cannot be written down.
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  if (ascii) check_derived(root);
  return 0;
}
