// SPDX-License-Identifier: Apache-2.0
//
// How much of a wished text a text on the screen is.
#pragma once

#include <string>
#include <string_view>

namespace gantry::vision_ground {

/// 0 to 1: 1 when they are the same. `wish` and `text` are plain() texts. What recognition mistakes
/// (l, I and 1; O and 0) costs little. Pure.
[[nodiscard]] double likeness(std::string_view wish, std::string_view text);

}  // namespace gantry::vision_ground
