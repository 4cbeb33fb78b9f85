// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/scenario.hpp>

GANTRY_INSTANTIATE(gantry::LoadScenarioRequest)
GANTRY_INSTANTIATE(gantry::ScenarioReport)
