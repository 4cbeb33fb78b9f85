// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "wakeword_plugin.hpp"

GANTRY_PLUGIN(gantry::wakeword::WakewordPlugin, "wakeword", "0.1.0")
