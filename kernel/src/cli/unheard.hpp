// SPDX-License-Identifier: Apache-2.0
// When `gantry run` has nobody to serve: another daemon is there, or every listener is taken.
#pragma once

#include <string>

#include "kernel.hpp"
#include "plugin/plan.hpp"

namespace gantry::cli {

/// Claims the folders that the plan's daemon would use, for as long as the process lives. Answers
/// which running daemon has them, as one sentence, or "". The control socket tells: two daemons
/// cannot have the same; a plan without one claims nothing.
std::string claim_folders(const plugin::Plan& plan);

/// Ends the daemon with 69 when listeners were asked for and not one could be opened, and says who
/// has the ports. Called once the plugins are started. A daemon that speaks on standard input and
/// output has somebody to serve and stays.
void leave_when_unheard(kernel::Kernel& kernel, int& exit_code);

}  // namespace gantry::cli
