// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/common.hpp>

namespace gantry::vision_ground {

/// Whether the middle of `inner` is in `outer`.
[[nodiscard]] inline bool middle_in(const Rect& inner, const Rect& outer) {
  return outer.contains(inner.x + inner.width / 2, inner.y + inner.height / 2);
}

}  // namespace gantry::vision_ground
