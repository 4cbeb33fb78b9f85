// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/screen.hpp>

GANTRY_INSTANTIATE(gantry::CaptureRequest)
GANTRY_INSTANTIATE(gantry::Capture)
