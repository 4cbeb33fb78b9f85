// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/abi/bus.h>

namespace gantry::kernel {

extern const gantry_host_bus kBusTable;

}  // namespace gantry::kernel
