// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/result.hpp>

#include <string>

namespace gantry::scheduler {

/// "job-" and 32 hexadecimal digits. Errors: unavailable (no random bytes).
[[nodiscard]] Result<std::string> new_job_id();

}  // namespace gantry::scheduler
