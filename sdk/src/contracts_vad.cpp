// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/vad.hpp>

GANTRY_INSTANTIATE(gantry::VadOpening)
GANTRY_INSTANTIATE(gantry::VadInput)
GANTRY_INSTANTIATE(gantry::VadEvent)
