// SPDX-License-Identifier: Apache-2.0
#include "node_json.hpp"

namespace gantry::observation {
namespace {

/// What the tree and the sketch say alike.
void add_common_members(JsonObject& out, const Node& node) {
  out.add("id", node.id);
  out.add("name", node.name);
  out.add("role", node.role);
  out.add_or_null("value", node.value);
  out.add_if("value_now", node.value_now);
  out.add_if("value_min", node.value_min);
  out.add_if("value_max", node.value_max);
  out.add_if("identifier", node.identifier);
}

void append_node(std::string& out, const Node& node) {
  JsonObject object;
  add_common_members(object, node);
  object.add("bounds", rect_json(node.bounds));
  object.add("enabled", node.enabled);
  object.add("focused", node.focused);
  object.add_or_null("keyboard_shortcut", node.keyboard_shortcut);
  object.add_or_null("description", node.description);
  object.add_if("selected", node.selected);
  object.add_if("expanded", node.expanded);
  if (node.cut_children) {
    object.add("truncated", true);
    object.add("child_count", *node.cut_children);
  }
  std::string children = "[";
  for (const Node& child : node.children) {
    if (children.size() > 1) children.push_back(',');
    append_node(children, child);
  }
  children.push_back(']');
  object.add("children", RawJson{std::move(children)});
  out += object.text();
}

}  // namespace

JsonObject rect_json(const Rect& rect) {
  JsonObject object;
  object.add("x", rect.x);
  object.add("y", rect.y);
  object.add("width", rect.width);
  object.add("height", rect.height);
  return object;
}

std::string node_json(const Node& node) {
  std::string out;
  append_node(out, node);
  return out;
}

JsonObject sketch_element_json(const SketchElement& element) {
  const Node& node = *element.node;
  JsonObject state;
  state.add("focused", node.focused);
  state.add("enabled", node.enabled);
  state.add_or_null("selected", node.selected);
  state.add_or_null("expanded", node.expanded);

  JsonObject object;
  add_common_members(object, node);
  object.add("bounds_screen", rect_json(node.bounds));
  object.add("state", state);
  object.add("legend_key", element.legend_key);
  object.add_or_null("tab_index", element.tab_index);
  object.add("occluded", element.occluded);
  if (element.bounds_grid) {
    JsonArray cells;
    for (const int cell : *element.bounds_grid) cells.add(cell);
    object.add("bounds_grid", cells.done());
  }
  object.add_if("keyboard_shortcut", node.keyboard_shortcut);
  return object;
}

}  // namespace gantry::observation
