// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/platform.hpp>

GANTRY_INSTANTIATE(gantry::Capability)
GANTRY_INSTANTIATE(gantry::ProbeReport)
