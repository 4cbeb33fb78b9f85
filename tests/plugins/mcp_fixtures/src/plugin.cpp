// SPDX-License-Identifier: Apache-2.0
#include "fixtures.hpp"

GANTRY_PLUGIN(gantry::mcp_fixtures::Fixtures, "mcp_fixtures", "0.1.0")
