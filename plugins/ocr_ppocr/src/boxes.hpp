// SPDX-License-Identifier: Apache-2.0
//
// Boxes of lines from what the detector says of each pixel, and the parts that a picture is looked
// at in. All of it is pure.
#pragma once

#include <opencv2/core.hpp>

#include <cstdint>
#include <vector>

namespace gantry::ocr_ppocr {

/// A line: `core` is what the detector is sure of, `box` the whole of it.
struct Found {
  cv::Rect core;
  cv::Rect box;
};

/// Lines in a map of probabilities (CV_32FC1, 0 to 1), cut to `size`.
[[nodiscard]] std::vector<Found> boxes_of(const cv::Mat& probability, const cv::Size& size);

/// The detector's input is a multiple of it.
inline constexpr int kGrain = 32;
[[nodiscard]] constexpr int rounded_up(int value, int grain) {
  return (value + grain - 1) / grain * grain;
}

/// Parts of at most kLargestPart pixels that cover a picture and lap over each other by kLap pixels
/// or a little more.
[[nodiscard]] std::vector<cv::Rect> parts_of(const cv::Size& size);
inline constexpr std::int64_t kLargestPart = 870'000;
inline constexpr int kLap = 96;

/// Makes one of the pieces of a line that two parts of a picture have seen. `part[i]` is the part
/// that `lines[i]` was found in.
[[nodiscard]] std::vector<Found> joined(std::vector<Found> lines, const std::vector<int>& part);

/// Adds those of `found` that are not, for a good part, within one of `lines`, whole lines before
/// their pieces; what of `lines` was a piece of one of them goes.
void add_new(std::vector<cv::Rect>& lines, std::vector<cv::Rect> found);

/// The box without the ground around its text, and without pieces of the lines above and below.
[[nodiscard]] cv::Rect tightened(const Found& line, const cv::Mat& ink);

}  // namespace gantry::ocr_ppocr
