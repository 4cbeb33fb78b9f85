// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "workspaces_plugin.hpp"

GANTRY_PLUGIN(gantry::workspaces::WorkspacesPlugin, "workspaces", "0.1.0")
