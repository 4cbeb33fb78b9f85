// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/clipboard.hpp>

GANTRY_INSTANTIATE(gantry::ClipboardContent)
GANTRY_INSTANTIATE(gantry::ClipboardSetRequest)
