// SPDX-License-Identifier: Apache-2.0
//
// Where colours change.
#pragma once

#include <opencv2/core.hpp>

namespace gantry::vision_cv {

/// Differences of a channel up to this are the same colour to the detector: shades of a gradient.
inline constexpr int kSameColour = 5;

/// 255 where a pixel differs from its right or its lower neighbour in some channel, else 0.
[[nodiscard]] cv::Mat edges_of(const cv::Mat& bgr);

/// Whether two pixels of a picture differ by more than kSameColour. Both have to be inside.
[[nodiscard]] bool differ(const cv::Mat& bgr, cv::Point a, cv::Point b);

}  // namespace gantry::vision_cv
