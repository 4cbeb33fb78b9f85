// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>

#include "address_rules.hpp"

GANTRY_INSTANTIATE(gantry::web::Settings)

namespace gantry::web {

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  for (const std::string& network : settings.fetch.allow_networks) {
    GANTRY_TRY(read_network(network));
  }
  return settings;
}

}  // namespace gantry::web
