// SPDX-License-Identifier: Apache-2.0
#include "model_settings.hpp"

#include <gantry/codec.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace gantry::agent {

BOOST_DESCRIBE_STRUCT(ModelSettings, (),
                      (temperature, max_output_tokens, effort, web_search, image_output))

namespace {

constexpr double kHottest = 2.0;

std::vector<std::string> known_members() {
  std::vector<std::string> names;
  boost::mp11::mp_for_each<
      boost::describe::describe_members<ModelSettings, boost::describe::mod_public>>(
      [&names](auto member) { names.emplace_back(member.name); });
  return names;
}

Error wrong(const std::string& what) { return invalid_argument("model_settings: " + what); }

}  // namespace

Result<ModelSettings> read_model_settings(std::string_view json) {
  namespace bj = boost::json;
  static const std::vector<std::string> kKnown = known_members();
  if (json.empty()) return ModelSettings{};
  bj::error_code problem;
  const bj::value given = bj::parse(json, problem);
  if (!problem && given.is_null()) return ModelSettings{};
  if (problem || !given.is_object()) return wrong("this is no JSON object");
  for (const auto& member : given.get_object()) {
    const std::string name(member.key());
    if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) continue;
    std::string all;
    for (const std::string& known : kKnown) all += (all.empty() ? "" : ", ") + known;
    return wrong("there is no '" + name.substr(0, 64) + "'; it takes " + all);
  }
  auto settings = from_json<ModelSettings>(json);
  if (!settings.ok()) return wrong(settings.error().message);
  if (settings->temperature && (*settings->temperature < 0 || *settings->temperature > kHottest)) {
    return wrong("temperature is 0 to 2");
  }
  if (settings->max_output_tokens && *settings->max_output_tokens < 1) {
    return wrong("max_output_tokens is at least 1");
  }
  return settings;
}

}  // namespace gantry::agent
