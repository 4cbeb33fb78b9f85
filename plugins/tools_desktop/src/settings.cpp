// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::desk::OpenAppSettings)
GANTRY_INSTANTIATE(gantry::desk::WaitSettings)
GANTRY_INSTANTIATE(gantry::desk::ScreenshotSettings)
GANTRY_INSTANTIATE(gantry::desk::ClipboardSettings)
GANTRY_INSTANTIATE(gantry::desk::Settings)

namespace gantry::desk {

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::desk
