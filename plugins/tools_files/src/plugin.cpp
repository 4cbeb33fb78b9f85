// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "files_plugin.hpp"

GANTRY_PLUGIN(gantry::files::FilesPlugin, "tools_files", "0.1.0")
