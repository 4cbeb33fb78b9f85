// SPDX-License-Identifier: Apache-2.0
#include "yaml_json.hpp"

#include <boost/json/parse.hpp>
#include <cstddef>

namespace gantry::conformance {

namespace json = boost::json;

json::value json_from(const YAML::Node& in) {
  if (in.IsMap()) {
    json::object object;
    for (const auto& entry : in) object[entry.first.as<std::string>()] = json_from(entry.second);
    return object;
  }
  if (in.IsSequence()) {
    json::array array;
    for (const YAML::Node& element : in) array.push_back(json_from(element));
    return array;
  }
  if (in.IsNull()) return nullptr;
  const auto text = in.as<std::string>();
  if (in.Tag() == "!") return json::string(text);  // quoted
  json::error_code no_json;
  json::value plain = json::parse(text, no_json);
  return no_json ? json::value(text) : plain;
}

std::string filled(std::string text, const Kept& kept) {
  for (const auto& [name, value] : kept) {
    const std::string mark = '$' + name;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

}  // namespace gantry::conformance
