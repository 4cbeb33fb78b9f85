// SPDX-License-Identifier: Apache-2.0
//
// Contrast on stripes and pictures: the median of ink_of() is now one stripe's colour and now the
// other's, so their edges become ink. A text has one colour on all of them.
#pragma once

#include <opencv2/core.hpp>

#include <optional>

namespace gantry::ocr {

/// Pixels around a box that striped_ink() looks at.
inline constexpr int kStripeMargin = 9;

/// The ink of `box` by how much of each pixel has the colour of the text whose rows are `core`;
/// none if the text stands on one colour, if its own is not to be told from the ground's or is not
/// one, or if `ink`, which is that of the whole picture, has none but the text's. `picture` has 8
/// bits and 1 to 4 channels, of which the first three count. Pure.
[[nodiscard]] std::optional<cv::Mat> striped_ink(const cv::Mat& picture, const cv::Mat& ink,
                                                 const cv::Rect& core, const cv::Rect& box);

}  // namespace gantry::ocr
