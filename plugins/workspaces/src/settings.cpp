// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::workspaces::Settings)

namespace gantry::workspaces {

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::workspaces
