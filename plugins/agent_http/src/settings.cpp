// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

#include <gantry/agent_http/text.hpp>

GANTRY_INSTANTIATE(gantry::agent_http::Settings)

namespace gantry::agent_http {

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  for (std::string* key : {&settings.runs.api_key, &settings.runs.control_api_key}) {
    *key = std::string(trim(*key));
  }
  return settings;
}

}  // namespace gantry::agent_http
