// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "artifacts_plugin.hpp"

GANTRY_PLUGIN(gantry::artifacts::ArtifactsPlugin, "artifacts", "0.1.0")
