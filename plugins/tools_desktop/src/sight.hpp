// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finding what a description means in the picture of a window, for what no element is called:
// gantry.vision.locate/1, which may be rules or a model on another machine. It gets the picture and
// the words that the observer gives to any client, so what is hidden there is hidden from it.

#include <gantry/task.hpp>

#include <string>
#include <vector>

#include "candidates.hpp"
#include "run.hpp"

namespace gantry::desk {

struct PictureMatches {
  std::vector<Target> targets;  ///< One, or several that fit equally well; none: see below.
  std::string code;             ///< Why there is none: the observer's, "ElementNotFound" or
                                ///< "PlatformUnsupported".
  std::string message;          ///< For people, to be put behind "…, and ".
};

/// Asks nothing of anybody before it is called. `window_uid` names the window whose picture is
/// searched; points are on the screen.
Task<PictureMatches> look_for(Run& run, std::string window_uid, std::string description);

}  // namespace gantry::desk
