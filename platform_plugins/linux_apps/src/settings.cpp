// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::apps::EnvironmentSettings)
GANTRY_INSTANTIATE(gantry::apps::Settings)

namespace gantry::apps {

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  for (const std::string& variable : settings.environment.set) {
    const std::size_t equals = variable.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return invalid_argument("environment.set must hold NAME=VALUE, found '" +
                              variable.substr(0, equals) + "'");
    }
  }
  return settings;
}

}  // namespace gantry::apps
