// SPDX-License-Identifier: Apache-2.0
#include "tools_plugin.hpp"

GANTRY_PLUGIN(gantry::desk::ToolsPlugin, "tools_desktop", "0.1.0")
