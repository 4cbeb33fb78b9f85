// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/content.hpp>

GANTRY_INSTANTIATE(gantry::AskAnswer)
