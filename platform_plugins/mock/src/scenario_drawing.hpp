// SPDX-License-Identifier: Apache-2.0
#pragma once
// The picture of a scenario's current state: every element where its bounds are, so that what
// changes in the tree changes pixels.

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>
#include <gantry/result.hpp>

#include "scenario_world.hpp"

namespace gantry::mock {

struct Picture {
  Image image;
  Rect area;  ///< What it shows, in screen pixels.
};

/// One window, without what lies over it.
[[nodiscard]] Picture draw_window(const ScenarioWorld& world, const WindowSpec& window);
/// All windows, the top one last, from the origin of the screen.
[[nodiscard]] Picture draw_screen(const ScenarioWorld& world);
/// The part of a picture that lies in `region` (screen pixels). Errors: out_of_range when none
/// does.
[[nodiscard]] Result<Picture> crop(Picture picture, const Rect& region);

}  // namespace gantry::mock
