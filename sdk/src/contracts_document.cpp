// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/document.hpp>

GANTRY_INSTANTIATE(gantry::DocumentTextRequest)
GANTRY_INSTANTIATE(gantry::DocumentTextAnswer)
