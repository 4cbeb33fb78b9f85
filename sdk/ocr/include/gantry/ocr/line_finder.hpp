// SPDX-License-Identifier: Apache-2.0
//
// Where the lines of text are.
#pragma once

#include <opencv2/core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::ocr {

/// A word of a line that was read: its box in pixels of the line's ink, from its corner.
struct ReadWord {
  std::string text;
  double confidence = 0;  // 0 to 100
  cv::Rect box;
};

/// Looks at lines to place marks; beyond that it is a picture, not text, and other marks stay out.
inline constexpr std::int64_t kMostLooks = 10'000'000;

/// What there is to read in a picture.
struct Page {
  cv::Mat ink;                  // as it was, but for bars whose text was the ground in them
  std::vector<cv::Rect> lines;  // boxes in `ink`
  std::int64_t looks = 0;       // at lines, to place marks; at most kMostLooks
};

/// Boxes of what looks like lines of text in `ink` (as ink_of() makes it), in reading order: rows
/// from the top, in a row from the left. Words that are further apart than they are high are lines
/// of their own, as the labels of a row of buttons are. Pure.
[[nodiscard]] Page find_lines(const cv::Mat& ink);

/// Ink below which a pixel is antialiasing or ground, of 255.
inline constexpr int kLeastInk = 90;

/// The ink with the text in bars (buttons, chosen rows) made ink, which was the ground in them.
/// Pure.
[[nodiscard]] cv::Mat with_bars_turned(const cv::Mat& ink);

/// The same, of ink that differs in `changed` only from that which `before` was made of. Pure.
[[nodiscard]] cv::Mat with_bars_turned_again(const cv::Mat& ink, const cv::Mat& before,
                                             const std::vector<cv::Rect>& changed);

/// Rows from the top, in a row from the left. A row is what the middle of its first line crosses.
void sort_for_reading(std::vector<cv::Rect>& lines);

}  // namespace gantry::ocr
