// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the ways to tell ink from ground have in common. Pure.

#include <opencv2/core.hpp>

#include <cstdint>

namespace gantry::ocr {

/// The first three channels of a pixel in one number.
using PlainColour = std::uint32_t;

inline constexpr int kAround = 2;  // pixels around a text that show its ground

[[nodiscard]] cv::Rect with_margin(const cv::Rect& box, int margin, const cv::Rect& within);

/// How far each pixel is from a colour, in the channel that differs most.
[[nodiscard]] cv::Mat distance_from(PlainColour colour, const cv::Mat& picture);

/// In proportion to the local maximum of the text's rows, as ink_of() has it.
[[nodiscard]] cv::Mat in_proportion(const cv::Mat& distance, const cv::Range& rows);

/// Whether a text, whose rows are `core`, stands on one colour.
[[nodiscard]] bool stands_on_one_colour(const cv::Mat& picture, const cv::Rect& core);

}  // namespace gantry::ocr
