// SPDX-License-Identifier: Apache-2.0
//
// Colours of parts of a picture.
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <opencv2/core.hpp>
#include <string>

namespace gantry::vision_cv {

/// "#RRGGBB"
[[nodiscard]] std::string hex_of(const cv::Vec3b& bgr);
/// What people call it: red, orange, yellow, green, cyan, blue, purple, pink, brown, white, grey or
/// black.
[[nodiscard]] std::string name_of(const cv::Vec3b& bgr);
/// Of a part that is not empty.
[[nodiscard]] VisionColour colour_of(const cv::Mat& bgr);
/// Errors: invalid_argument (no picture, or more than 4096 regions).
Result<VisionColoursResult> colours(const VisionColoursRequest& request, std::int64_t max_pixels);

}  // namespace gantry::vision_cv
