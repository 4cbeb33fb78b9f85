// SPDX-License-Identifier: Apache-2.0
//
// Flat parts of a picture whose outline is that of a control: a rectangle with or without round
// corners, a pill, a circle.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace gantry::vision_cv {

struct Region {
  cv::Rect box;        // with its border
  double outline = 0;  // 0 to 1: how much of its sides is there
  double filled = 0;   // 0 to 1: how much of the box is its ground
  cv::Vec3b ground;
};

/// None of them is another once more; in reading order of their corners. Pure.
[[nodiscard]] std::vector<Region> regions_of(const cv::Mat& bgr, const cv::Mat& edges);

/// Area in common, in proportion to the area of both together.
[[nodiscard]] double overlap_of(const cv::Rect& a, const cv::Rect& b);

}  // namespace gantry::vision_cv
