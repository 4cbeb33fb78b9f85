// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/access.hpp"
#include "cli/doctor_checks.hpp"

namespace gantry::cli {

/// A line for each provider that a running plugin asks, with what it lacks, and one for the model
/// that answers `gantry ask` where an agent runs. Waits a few seconds for each plugin at the most.
void check_language_models(Access& access, Report& report);

}  // namespace gantry::cli
