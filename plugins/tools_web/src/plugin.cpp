// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "web_plugin.hpp"

GANTRY_PLUGIN(gantry::web::WebPlugin, "tools_web", "0.1.0")
