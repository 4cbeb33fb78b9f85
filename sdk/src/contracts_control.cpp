// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/control.hpp>

GANTRY_INSTANTIATE(gantry::ControlError)
GANTRY_INSTANTIATE(gantry::ControlFailure)
