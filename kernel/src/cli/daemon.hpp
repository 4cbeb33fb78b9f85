// SPDX-License-Identifier: Apache-2.0
// Running a plan as a daemon, for the commands that do.
#pragma once

#include <functional>

#include "kernel.hpp"
#include "plugin/plan.hpp"

namespace gantry::cli {

/// Called once the plugins are started, on the loop's thread. It may end the daemon: with
/// request_stop() and another exit code.
using Started = std::function<void(kernel::Kernel& kernel, int& exit_code)>;

/// Starts the plan and runs until a signal. Never returns: it leaves with the exit code, without
/// destructors (see daemon.cpp). SIGHUP makes a new plan from `options`.
[[noreturn]] void run_plan(const plugin::PlanOptions& options, plugin::Plan plan,
                           const Started& started);

}  // namespace gantry::cli
