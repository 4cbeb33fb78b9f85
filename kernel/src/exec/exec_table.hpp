// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/abi/exec.h>

namespace gantry::kernel {

extern const gantry_host_exec kExecTable;

}  // namespace gantry::kernel
