// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include "config/layers.hpp"
TEST_CASE("builtin schema parses") { REQUIRE(gantry::config::builtin_schema().keys.size() == 3); }
