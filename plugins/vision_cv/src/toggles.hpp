// SPDX-License-Identifier: Apache-2.0
//
// Check boxes and radio buttons, ticked or not, by their looks.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

namespace gantry::vision_cv {

enum class Form : std::uint8_t { Other, Square, Round };

/// Longer side of the largest check box or radio button, in pixels: 18 at one and a half times.
constexpr int kToggleSide = 27;

/// What the corners of a small box say: a circle leaves five times as much of them free as a square
/// with round corners does. `box` may be a pixel too large or too small. Pure.
[[nodiscard]] Form form_of(const cv::Mat& bgr, const cv::Rect& box);

/// The same where the outline is closed all around, as no letter's and few icons' is. Pure.
[[nodiscard]] Form closed_form_of(const cv::Mat& bgr, const cv::Rect& box);

/// The form of something that is ticked: a closed outline with a mark in the middle that differs
/// from what is around it. Other: an icon, a letter, or an empty box. Pure.
[[nodiscard]] Form ticked_form_of(const cv::Mat& bgr, const cv::Rect& box);

}  // namespace gantry::vision_cv
