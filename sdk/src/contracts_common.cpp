// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/common.hpp>

GANTRY_INSTANTIATE(gantry::Rect)
GANTRY_INSTANTIATE(gantry::Done)
GANTRY_INSTANTIATE(gantry::Nothing)
GANTRY_INSTANTIATE(gantry::Image)
GANTRY_INSTANTIATE(gantry::Audio)
