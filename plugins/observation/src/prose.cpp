// SPDX-License-Identifier: Apache-2.0
#include "prose.hpp"

#include <fmt/format.h>

#include <iterator>

#include "text.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kValueLimit = 60;
constexpr std::size_t kDescriptionLimit = 30;
constexpr long kCharactersPerToken = 4;

std::string badges(const Node& node) {
  std::string out;
  const auto add = [&out](std::string_view badge) {
    if (!out.empty()) out += "  ";
    out += badge;
  };
  if (node.focused) add("FOCUSED");
  if (!node.enabled) add("DISABLED");
  if (node.keyboard_shortcut && !node.keyboard_shortcut->empty()) {
    add("shortcut:" + *node.keyboard_shortcut);
  }
  if (node.description && !node.description->empty()) {
    add("desc:" + shorten(*node.description, kDescriptionLimit, kDescriptionLimit - 1));
  }
  return out;
}

void append_line(std::string& out, const Node& node, int level) {
  out.append(static_cast<std::size_t>(level) * 2, ' ');
  out += "└─ ";
  out += node.role;
  if (!node.name.empty()) out += " \"" + node.name + '"';
  if (node.value) out += " = " + python_repr(shorten(*node.value, kValueLimit, kValueLimit - 1));
  if (const std::string marks = badges(node); !marks.empty()) out += "  [" + marks + ']';
  const Rect& box = node.bounds;
  fmt::format_to(std::back_inserter(out), "  @({},{}) {}×{}\n", box.x, box.y, box.width,
                 box.height);
}

}  // namespace

std::string describe_tree(const ProseWindow& window, const Node& root) {
  const Rect& box = window.bounds;
  std::string out = fmt::format(
      "Application : {}\nWindow      : {}\nGeometry    : ({}, {})  {} × {} px\n\nRoot: {}",
      window.process, window.title, box.x, box.y, box.width, box.height, root.role);
  if (!root.name.empty()) out += "  \"" + root.name + '"';
  out += '\n';
  walk(root, [&](const Node& node, int depth) { append_line(out, node, depth + 1); });
  fmt::format_to(std::back_inserter(out), "\n[{} elements total", count_nodes(root));
  if (const Node* focused = find_focused(root)) {
    fmt::format_to(std::back_inserter(out), "; focused → {} \"{}\"", focused->role, focused->name);
  }
  out += ']';
  return out;
}

CutText cut_to_tokens(std::string text, long max_tokens) {
  const auto longest = static_cast<long>(text.size());  // also keeps the product from overflowing
  if (max_tokens <= 0 || max_tokens >= longest) return {std::move(text), false};
  const auto limit = static_cast<std::size_t>(max_tokens * kCharactersPerToken);
  const std::string_view kept = first_code_points(text, limit);
  if (kept.size() == text.size()) return {std::move(text), false};
  return {std::string(kept) + "… [truncated]", true};
}

}  // namespace gantry::observation
