// SPDX-License-Identifier: Apache-2.0
#pragma once
// A key of a table that nobody reads would be a check that cannot fail.
#include <catch2/catch.hpp>

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gantry::conformance {

inline void check_keys(const YAML::Node& map, std::initializer_list<std::string_view> known) {
  for (const auto& entry : map) {
    const auto key = entry.first.as<std::string>();
    INFO("the key '" << key << "' means nothing here");
    CHECK(std::find(known.begin(), known.end(), key) != known.end());
  }
}

}  // namespace gantry::conformance
