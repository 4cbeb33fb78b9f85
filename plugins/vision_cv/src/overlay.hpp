// SPDX-License-Identifier: Apache-2.0
//
// Boxes, points and labels on a picture.
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::vision_cv {

/// A text as the drawn letters have it: of other scripts' letters those that Latin ones come from
/// ("é" becomes "e"), else "?"; control characters become blanks. At most 200 characters.
[[nodiscard]] std::string drawable(std::string_view text);

/// Errors: invalid_argument (no picture, or too many boxes and points). Takes its time.
Result<VisionOverlayResult> overlay(const VisionOverlayRequest& request, std::int64_t max_pixels);

}  // namespace gantry::vision_cv
