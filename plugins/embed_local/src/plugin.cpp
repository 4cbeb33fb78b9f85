// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "embed_plugin.hpp"

GANTRY_PLUGIN(gantry::embed_local::EmbedPlugin, "embed_local", "0.1.0")
