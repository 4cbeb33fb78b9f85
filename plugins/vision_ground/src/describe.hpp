// SPDX-License-Identifier: Apache-2.0
//
// What is to be seen, in words.
#pragma once

#include <gantry/contracts/vision.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "knowledge.hpp"

namespace gantry::vision_ground {

/// Things in reading order, one a line, with the middle of each. `ground` may be empty. Pure.
[[nodiscard]] VisionDescription description_of(const std::vector<Thing>& things, const Rect& area,
                                               const VisionColour& ground, std::int32_t max_chars);

}  // namespace gantry::vision_ground
