// SPDX-License-Identifier: Apache-2.0
#include "lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json_object.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kRootPrefix = "root.";
constexpr std::size_t kNameLength = 40;   // code points
constexpr std::size_t kValueLength = 60;  // code points

/// Roles, in lower case, that mean nothing when they have neither name nor value.
constexpr std::array<std::string_view, 18> kFillers{
    "box",     "filler",       "frame",      "group",       "image",
    "label",   "panel",        "pane",       "icon",        "redundant object",
    "section", "separator",    "static",     "static text", "text",
    "unknown", "layered pane", "scroll pane"};

bool is_filler(const std::string& role) {
  return std::find(kFillers.begin(), kFillers.end(), to_lower(role)) != kFillers.end();
}

void append_text(std::string& out, std::string_view text, std::size_t limit) {
  out.push_back('"');
  for (const char c : shorten(text, limit, limit - 1)) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: out.push_back(c);
    }
  }
  out.push_back('"');
}

std::string with_count(std::string line, std::size_t below) {
  if (below > 0) line += fmt::format(" +{}", below);
  return line;
}

struct Line {
  const Node* node;
  std::size_t below;  ///< Lines below the element.
};

/// The elements that have lines, in document order.
std::size_t collect(const Node& node, bool is_root, std::vector<Line>& out) {
  const std::size_t place = out.size();
  const bool listed = is_root || has_line(node);
  if (listed) out.push_back({&node, 0});
  std::size_t below = 0;
  for (const Node& child : node.children) below += collect(child, false, out);
  if (listed) out[place].below = below;
  return below + (listed ? 1 : 0);
}

std::vector<Line> tree_lines(const Node& root, bool skeleton) {
  std::vector<Line> out;
  collect(root, true, out);
  if (skeleton) {
    std::erase_if(out, [&](const Line& line) { return line.below == 0 && line.node != &root; });
  }
  return out;
}

}  // namespace

std::string_view short_id(std::string_view id) {
  return id.starts_with(kRootPrefix) ? id.substr(kRootPrefix.size()) : id;
}

bool has_line(const Node& node) {
  const bool says = !node.name.empty() || (node.value && !node.value->empty());
  const bool acts = node.focused || node.selected || node.expanded || node.value_now ||
                    node.cut_children || !node.actions.empty();
  return says || acts || (node.children.empty() && !is_filler(node.role));
}

std::string element_line(const Node& node) {
  std::string out(short_id(node.id));
  out.push_back(' ');
  out += shorten(node.role, kNameLength, kNameLength - 1);
  if (!node.name.empty()) {
    out.push_back(' ');
    append_text(out, node.name, kNameLength);
  }
  if (node.value && !node.value->empty() && *node.value != node.name) {
    out += " =";
    append_text(out, *node.value, kValueLength);
  } else if (node.value_now) {
    out += fmt::format(" ={:g}", *node.value_now);
  }
  if (node.selected) out += *node.selected ? " [x]" : " [ ]";
  if (node.expanded) out += *node.expanded ? " [-]" : " [+]";
  if (node.focused) out += " focused";
  if (!node.enabled) out += " disabled";
  if (node.password) out += " secret";
  return with_count(std::move(out), node.cut_children.value_or(0));
}

std::size_t json_string_size(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json.size() - 2;
}

LinePage render_lines(const Node& root, const LineOptions& options) {
  const std::vector<Line> lines = tree_lines(root, options.skeleton);
  LinePage page;
  page.total = lines.size();
  std::size_t first = 0;
  if (!options.after_id.empty()) {
    const auto seen = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
      return short_id(line.node->id) == short_id(options.after_id);
    });
    page.known_cursor = seen != lines.end();
    if (!page.known_cursor) return page;
    first = static_cast<std::size_t>(seen - lines.begin()) + 1;
  }
  std::size_t bytes = 0;
  for (std::size_t i = first; i < lines.size(); ++i) {
    std::string line = element_line(*lines[i].node);
    if (options.skeleton) line = with_count(std::move(line), lines[i].below);
    bytes += json_string_size(line) + 2;  // the newline is two bytes in JSON
    const bool too_long = options.max_bytes > 0 && bytes > options.max_bytes;
    const bool too_many = options.max_lines > 0 && page.count >= options.max_lines;
    if (page.count > 0 && (too_long || too_many)) {
      page.last_id = lines[i - 1].node->id;
      break;
    }
    if (page.count > 0) page.text.push_back('\n');
    page.text += line;
    ++page.count;
  }
  return page;
}

}  // namespace gantry::observation
