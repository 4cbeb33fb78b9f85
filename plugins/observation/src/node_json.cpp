// SPDX-License-Identifier: Apache-2.0
#include "node_json.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kUsualNodeBytes = 256;

void append_rect(TextBuffer& out, const Rect& rect) {
  JsonWriter object(out);
  object.add("height", rect.height);
  object.add("width", rect.width);
  object.add("x", rect.x);
  object.add("y", rect.y);
  object.end();
}

void append_node(TextBuffer& out, const Node& node) {
  JsonWriter object(out);
  append_rect(object.member("bounds"), node.bounds);
  object.add_if("child_count", node.cut_children);
  object.member("children").put('[');
  for (const Node& child : node.children) {
    if (&child != &node.children.front()) out.put(',');
    append_node(out, child);
  }
  out.put(']');
  object.add_if("confidence", node.confidence);
  object.add_or_null("description", node.description);
  object.add("enabled", node.enabled);
  object.add_if("expanded", node.expanded);
  object.add("focused", node.focused);
  object.add("id", node.id);
  object.add_if("identifier", node.identifier);
  object.add_or_null("keyboard_shortcut", node.keyboard_shortcut);
  object.add("name", node.name);
  object.add_if("ocr_text", node.ocr_text);
  object.add("role", node.role);
  object.add_if("selected", node.selected);
  object.add_if("source", node.source);
  if (node.cut_children) object.add("truncated", true);
  object.add_or_null("value", node.value);
  object.add_if("value_max", node.value_max);
  object.add_if("value_min", node.value_min);
  object.add_if("value_now", node.value_now);
  object.end();
}

}  // namespace

RawJson rect_json(const Rect& rect) {
  TextBuffer out(64);
  append_rect(out, rect);
  return {out.take()};
}

std::string node_json(const Node& node) {
  TextBuffer out(kUsualNodeBytes * count_nodes(node));
  append_node(out, node);
  return out.take();
}

JsonObject sketch_element_json(const SketchElement& element) {
  const Node& node = *element.node;
  JsonObject state;
  state.add("focused", node.focused);
  state.add("enabled", node.enabled);
  state.add_or_null("selected", node.selected);
  state.add_or_null("expanded", node.expanded);

  JsonObject object;
  object.add("id", node.id);
  object.add("name", node.name);
  object.add("role", node.role);
  object.add_or_null("value", node.value);
  object.add_if("value_now", node.value_now);
  object.add_if("value_min", node.value_min);
  object.add_if("value_max", node.value_max);
  object.add_if("identifier", node.identifier);
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
  object.add_if("ocr_text",
                element.ocr_text.empty() ? node.ocr_text.value_or("") : element.ocr_text);
  object.add_if("source", node.source);
  object.add_if("confidence", node.confidence);
  return object;
}

}  // namespace gantry::observation
