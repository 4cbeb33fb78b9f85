// SPDX-License-Identifier: Apache-2.0
#include "greeter.hpp"

GANTRY_PLUGIN(greeter::Greeter, "greeter", "0.1.0")
