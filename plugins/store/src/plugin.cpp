// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "store_plugin.hpp"

GANTRY_PLUGIN(gantry::store::StorePlugin, "store", "0.1.0")
