// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/turn_ended.hpp>

GANTRY_INSTANTIATE(gantry::TurnEndedEvent)
