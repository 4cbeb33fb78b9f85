// SPDX-License-Identifier: Apache-2.0
#include "fuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "geometry.hpp"
#include "occlusion.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kMostSeen = 2000;
constexpr double kSame = 0.5;     // of the area of both
constexpr int kLabelReach = 260;  // pixels from a field to the text that names it
constexpr int kToggleReach = 40;  // from a check box to its text

std::int64_t area(const Rect& box) { return std::int64_t{box.width} * box.height; }

double overlap(const Rect& a, const Rect& b) {
  const auto both = static_cast<double>(area(intersection(a, b)));
  return both / std::max(1.0, static_cast<double>(area(a)) + static_cast<double>(area(b)) - both);
}

bool middle_in(const Rect& inner, const Rect& outer) {
  return outer.contains(inner.x + inner.width / 2, inner.y + inner.height / 2);
}

/// Letters and digits only, small: what recognition adds or loses besides does not count.
std::string bare(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      out += c;
    } else if (std::isalnum(byte) != 0) {
      out += static_cast<char>(std::tolower(byte));
    }
  }
  return out;
}

/// Of two texts, whether one is in the other.
bool agree(std::string_view says, std::string_view reads) {
  const std::string a = bare(says);
  const std::string b = bare(reads);
  if (a.empty() || b.empty()) return true;
  return a.find(b) != std::string::npos || b.find(a) != std::string::npos;
}

/// Elements of the tree that can be seen and have nothing in them.
void collect_leaves(Node& node, std::vector<Node*>& out) {
  if (node.children.empty() && node.visible && !node.bounds.empty()) out.push_back(&node);
  for (Node& child : node.children) collect_leaves(child, out);
}

/// The smallest of the boxes that has the line's middle in it.
template <class Items, class BoxOf>
auto* carrier_of(Items& items, const Rect& line, BoxOf box_of) {
  decltype(&items.front()) best = nullptr;
  for (auto& item : items) {
    if (!middle_in(line, box_of(item))) continue;
    if (best == nullptr || area(box_of(item)) < area(box_of(*best))) best = &item;
  }
  return best;
}

/// Whether the line is the element's own text, and not one of many on a page or a canvas.
bool is_its_text(const Rect& box, const Rect& line) {
  return box.height <= line.height * 4 && area(box) <= area(line) * 30;
}

Node node_of(const VisualElement& control) {
  Node out;
  out.role = !control.role.empty() ? control.role : control.kind == "icon" ? "Image" : "Button";
  out.bounds = control.bbox;
  out.source = "vision";
  out.confidence = control.confidence;
  return out;
}

Node node_of(const SeenLine& line) {
  Node out;
  out.role = "Text";
  out.name = line.text;
  out.bounds = line.bounds;
  out.source = "ocr";
  out.confidence = std::round(line.confidence) / 100;
  return out;
}

bool is_toggle(const Node& node) { return node.role == "CheckBox" || node.role == "RadioButton"; }
bool is_field(const Node& node) { return node.role == "Edit" || node.role == "ComboBox"; }

/// The distance at which a text names a control: right of a check box, left of a field; -1: none.
int label_distance(const Node& node, const Rect& line) {
  const std::int64_t rows = std::min(bottom_of(node.bounds), bottom_of(line)) -
                            std::int64_t{std::max(node.bounds.y, line.y)};
  if (rows * 2 < std::min(node.bounds.height, line.height)) return -1;
  const std::int64_t gap =
      is_toggle(node) ? line.x - right_of(node.bounds) : node.bounds.x - right_of(line);
  const int reach = is_toggle(node) ? kToggleReach : is_field(node) ? kLabelReach : -1;
  return gap >= -2 && gap <= reach ? static_cast<int>(std::max<std::int64_t>(gap, 0)) : -1;
}

void name_by_label(Node& node, const std::vector<SeenLine>& lines) {
  int least = -1;
  for (const SeenLine& line : lines) {
    const int distance = label_distance(node, line.bounds);
    if (distance < 0 || (least >= 0 && distance >= least)) continue;
    least = distance;
    node.name = line.text;
  }
}

/// A field shows its value; everything else what it is called.
void put_text(Node& node, const std::string& text) {
  std::string& member = is_field(node) ? node.value.emplace(node.value.value_or("")) : node.name;
  member += (member.empty() ? "" : " ") + text;
}

/// Ids that stay while what is seen does: by role and name, or by place where there is no name.
void assign_seen_ids(std::vector<Node>& nodes) {
  std::map<std::uint32_t, int> used;
  for (Node& node : nodes) {
    const std::string key =
        node.name.empty() ? fmt::format("{}@{},{}", node.role, node.bounds.x / 8, node.bounds.y / 8)
                          : node.role + '/' + node.name;
    std::uint32_t hash = 2166136261U;
    for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    const int number = used[hash]++;
    node.id = number == 0 ? fmt::format("seen.{:08x}", hash)
                          : fmt::format("seen.{:08x}.{}", hash, number);
  }
}

void mark_reported(Node& node) {
  if (node.source.empty()) node.source = "a11y";
  for (Node& child : node.children) mark_reported(child);
}

Node root_of(const WindowInfo& window) {
  Node root;
  root.role = "Window";
  root.name = window.title;
  root.bounds = window.bounds;
  return root;
}

}  // namespace

std::vector<Node> seen_elements(Node& root, const std::vector<VisualElement>& controls,
                                const std::vector<SeenLine>& lines) {
  std::vector<Node*> leaves;
  for (Node& child : root.children) collect_leaves(child, leaves);
  std::vector<Node> out;
  for (const VisualElement& control : controls) {
    if (control.kind == "region" || out.size() >= kMostSeen) continue;
    const bool known = std::any_of(leaves.begin(), leaves.end(), [&](const Node* leaf) {
      return overlap(leaf->bounds, control.bbox) >= kSame;
    });
    if (!known) out.push_back(node_of(control));
  }
  std::vector<const SeenLine*> alone;
  for (const SeenLine& line : lines) {
    Node* seen = carrier_of(out, line.bounds, [](const Node& node) { return node.bounds; });
    if (seen != nullptr) {
      put_text(*seen, line.text);
      continue;
    }
    Node** leaf = carrier_of(leaves, line.bounds, [](const Node* node) { return node->bounds; });
    if (leaf == nullptr || !is_its_text((*leaf)->bounds, line.bounds)) {
      alone.push_back(&line);
      continue;
    }
    Node& said = **leaf;
    if (said.hidden != nullptr || is_password(said)) continue;
    if (agree(said.name, line.text) || (said.value && agree(*said.value, line.text))) {
      if (!said.name.empty() || (said.value && !said.value->empty())) continue;
    }
    said.ocr_text = said.ocr_text ? *said.ocr_text + ' ' + line.text : line.text;
  }
  for (Node& node : out) {
    if (node.name.empty() && (is_toggle(node) || is_field(node))) name_by_label(node, lines);
  }
  for (const SeenLine* line : alone) {
    if (out.size() < kMostSeen) out.push_back(node_of(*line));
  }
  std::stable_sort(out.begin(), out.end(), [](const Node& a, const Node& b) {
    return std::pair(a.bounds.y, a.bounds.x) < std::pair(b.bounds.y, b.bounds.x);
  });
  assign_seen_ids(out);
  return out;
}

Task<std::shared_ptr<const Tree>> fuse_tree(Engine& engine, const WindowInfo& window,
                                            std::shared_ptr<const Tree> reported) {
  const std::shared_ptr<const Tree> nothing;
  if (window.minimized || !engine.settings.ocr.enabled) co_return nothing;
  OcrQuery query;
  query.window = window;
  const Outcome<OcrReading> reading = co_await read_window(engine, std::move(query));
  if (!reading.ok()) co_return nothing;
  VisionDetectRequest request;
  request.image = reading->image;
  request.words = reading->words;
  const Answer<VisionDetectResult> found = co_await engine.desktop.detect(std::move(request));
  std::vector<VisualElement> controls;
  if (found.ok()) controls = (*found)->elements;
  for (VisualElement& control : controls) control.bbox = on_screen(control.bbox, *reading);

  Node root = reported != nullptr ? reported->root : root_of(window);
  Node holder;
  holder.role = "Group";
  holder.children = seen_elements(root, controls, seen_lines(*reading));
  // Rules for names and roles count for what is seen, too.
  engine.redaction.redact(holder, engine.shield.true_title(window.handle, window.title));
  mark_reported(root);
  std::move(holder.children.begin(), holder.children.end(), std::back_inserter(root.children));
  co_return make_tree(std::move(root), reported != nullptr ? reported->degraded : Tree::Degraded{});
}

}  // namespace gantry::observation
