// SPDX-License-Identifier: Apache-2.0
// The plugin's configuration as it comes from the host.
#pragma once

#include "config.hpp"

#include <gantry/result.hpp>

#include <string_view>

namespace gantry::atspi {

/// From the validated JSON of Host::config_json(); keys as in plugin.yaml, durations in ms.
Result<AtspiConfig> parse_settings(std::string_view json);

}  // namespace gantry::atspi
