// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "http_plugin.hpp"

GANTRY_PLUGIN(gantry::embed_http::EmbedHttpPlugin, "embed_http", "0.1.0")
