// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arguments.hpp"
#include "settings.hpp"
#include "sketch.hpp"

namespace gantry::observation {

/// The configured sketch with the call's grid_width and grid_height; 0 and what is no integer mean
/// the default, and a grid is at most 1000 cells on each side.
[[nodiscard]] SketchOptions sketch_options(const SketchSettings& settings,
                                           const Arguments& arguments);

}  // namespace gantry::observation
