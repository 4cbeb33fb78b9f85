// SPDX-License-Identifier: Apache-2.0
#include "tree_yaml.hpp"

namespace gantry::observation::tests {
namespace {

template <class T>
void read(const YAML::Node& in, const char* key, T& out) {
  if (in[key]) out = in[key].as<T>();
}

template <class T>
void read(const YAML::Node& in, const char* key, std::optional<T>& out) {
  if (in[key] && !in[key].IsNull()) out = in[key].as<T>();
}

}  // namespace

Rect rect_from(const YAML::Node& in) {
  return {in[0].as<int>(), in[1].as<int>(), in[2].as<int>(), in[3].as<int>()};
}

Node node_from(const YAML::Node& in) {
  Node node;
  read(in, "id", node.id);
  read(in, "role", node.role);
  read(in, "name", node.name);
  read(in, "value", node.value);
  read(in, "enabled", node.enabled);
  read(in, "focused", node.focused);
  read(in, "visible", node.visible);
  read(in, "selected", node.selected);
  read(in, "expanded", node.expanded);
  read(in, "value_now", node.value_now);
  read(in, "value_min", node.value_min);
  read(in, "value_max", node.value_max);
  read(in, "keyboard_shortcut", node.keyboard_shortcut);
  read(in, "description", node.description);
  if (in["at"]) node.bounds = rect_from(in["at"]);
  for (const YAML::Node& child : in["children"]) node.children.push_back(node_from(child));
  return node;
}

YAML::Node load_cases(const std::string& name) {
  const std::string source = __FILE__;
  return YAML::LoadFile(source.substr(0, source.rfind('/')) + "/cases/" + name);
}

}  // namespace gantry::observation::tests
