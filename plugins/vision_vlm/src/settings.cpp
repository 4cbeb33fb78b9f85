// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::vision_vlm::Settings)

namespace gantry::vision_vlm {

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();
  return settings;
}

}  // namespace gantry::vision_vlm
