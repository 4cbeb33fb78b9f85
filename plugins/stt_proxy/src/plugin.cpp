// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "proxy_plugin.hpp"

GANTRY_PLUGIN(gantry::stt_proxy::ProxyPlugin, "stt_proxy", "0.1.0")
