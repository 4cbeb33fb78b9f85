// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

#include "conflict.hpp"

GANTRY_INSTANTIATE(gantry::store::Settings)
GANTRY_INSTANTIATE(gantry::store::LogConflict)
GANTRY_INSTANTIATE(gantry::store::DocumentConflict)

namespace gantry::store {

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::store
