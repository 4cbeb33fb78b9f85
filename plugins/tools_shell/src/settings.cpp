// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of the configuration.
#include "settings.hpp"

#include <gantry/codec.hpp>

#include "environment.hpp"

GANTRY_INSTANTIATE(gantry::shell::Settings)

namespace gantry::shell {

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  GANTRY_TRY(check_environment(settings.environment));
  return settings;
}

}  // namespace gantry::shell
