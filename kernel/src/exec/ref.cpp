// SPDX-License-Identifier: Apache-2.0
#include "exec/ref.hpp"

namespace gantry::kernel {

void RefCounted::destroy() noexcept { delete this; }

}  // namespace gantry::kernel
