// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "shell_plugin.hpp"

GANTRY_PLUGIN(gantry::shell::ShellPlugin, "tools_shell", "0.1.0")
