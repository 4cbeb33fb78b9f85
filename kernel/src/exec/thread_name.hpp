// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gantry::kernel {

// What `top -H` and debuggers show for the calling thread; at most 15 characters are kept.
void set_thread_name(const char* name);

}  // namespace gantry::kernel
