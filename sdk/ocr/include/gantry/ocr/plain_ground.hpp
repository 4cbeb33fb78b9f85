// SPDX-License-Identifier: Apache-2.0
//
// Contrast beside edges: within ten pixels of the edge of a bar the median of ink_of() is now the
// bar's colour and now that of what is around it, so ground becomes ink there. A line that stands
// on one colour needs no median.
#pragma once

#include <opencv2/core.hpp>

#include <optional>
#include <vector>

namespace gantry::ocr {

/// Ink of a part of a picture, and where that part is.
struct PlainInk {
  cv::Rect box;
  cv::Mat ink;
};

/// The ink of `box` by its distance from the colour that `core`, the rows of a text in it, stands
/// on; none if there is no such colour, or if `ink`, which is that of the whole picture, already
/// has no ink where it shows. `picture` has 8 bits and 1 to 4 channels, of which the first three
/// count. Pure.
[[nodiscard]] std::optional<PlainInk> plain_ink(const cv::Mat& picture, const cv::Mat& ink,
                                                const cv::Rect& core, const cv::Rect& box);

/// Whether above and below a text, whose box is tight, there is nothing but its ground.
[[nodiscard]] bool stands_free(const PlainInk& plain, const cv::Rect& text);

/// What clean_lines() looks at of a line.
[[nodiscard]] cv::Rect ground_around(const cv::Rect& line, const cv::Size& picture);

/// Replaces the ink of those lines, boxes tight around their text, that plain_ink() or
/// striped_ink() knows better. What it has replaced stays as it is when it is asked again.
void clean_lines(cv::Mat& ink, const cv::Mat& picture, const std::vector<cv::Rect>& lines);

}  // namespace gantry::ocr
