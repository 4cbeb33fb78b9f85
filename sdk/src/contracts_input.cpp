// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/input.hpp>

GANTRY_INSTANTIATE(gantry::PointerRequest)
GANTRY_INSTANTIATE(gantry::InputReceipt)
GANTRY_INSTANTIATE(gantry::KeyRequest)
GANTRY_INSTANTIATE(gantry::TextRequest)
