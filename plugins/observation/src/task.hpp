// SPDX-License-Identifier: Apache-2.0
#pragma once
// Coroutines for the engine: a tool reads the window list, then a tree, then answers.

#include <gantry/task.hpp>

namespace gantry::observation {

using gantry::Completion;
using gantry::completion;
using gantry::Detached;
using gantry::RunningTasks;
using gantry::spawn;
using gantry::Task;

}  // namespace gantry::observation
