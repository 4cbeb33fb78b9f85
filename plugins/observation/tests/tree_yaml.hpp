// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trees and cases from YAML. A node is written
//   {role: Button, name: OK, at: [x, y, width, height], value: …, enabled: false, children: [...]}
// with the members of Node by their names; what is left out has its default.

#include <string>

#include <yaml-cpp/yaml.h>

#include "tree.hpp"

namespace gantry::observation::tests {

[[nodiscard]] Node node_from(const YAML::Node& in);
[[nodiscard]] Rect rect_from(const YAML::Node& in);
/// tests/cases/<name>, found beside this source.
[[nodiscard]] YAML::Node load_cases(const std::string& name);

}  // namespace gantry::observation::tests
