// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON from tables in YAML.

#include <yaml-cpp/yaml.h>
#include <boost/json/value.hpp>
#include <map>
#include <string>

namespace gantry::conformance {

/// Plain scalars become numbers, booleans and null as YAML reads them; quoted ones stay text.
[[nodiscard]] boost::json::value json_from(const YAML::Node& in);

/// What rows have kept of answers, as $name in later rows.
using Kept = std::map<std::string, std::string>;
[[nodiscard]] std::string filled(std::string text, const Kept& kept);

}  // namespace gantry::conformance
