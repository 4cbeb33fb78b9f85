// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "identity_plugin.hpp"

GANTRY_PLUGIN(gantry::identity::IdentityPlugin, "identity", "0.1.0")
