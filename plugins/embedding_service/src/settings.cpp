// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/agent_http/text.hpp>
#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::embedding_service::Settings)

namespace gantry::embedding_service {

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  settings.api_key = std::string(agent_http::trim(settings.api_key));
  return settings;
}

}  // namespace gantry::embedding_service
