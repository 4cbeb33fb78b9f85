// SPDX-License-Identifier: Apache-2.0
//
// Contrast: what is text becomes ink, whatever its colour and that of the ground.
#pragma once

#include <gantry/contracts/common.hpp>

#include <opencv2/core.hpp>

#include <vector>

namespace gantry::ocr {

/// How far a pixel reaches into the ink around it: half the background window and half the window
/// of the local maximum.
inline constexpr int kReachX = 10 + 20;
inline constexpr int kReachY = 10 + 7;
/// Columns to each side in which the strongest contrast counts.
inline constexpr int kMaximumReach = 20;
/// Contrast below which nothing is amplified: gradients and noise stay ground.
inline constexpr int kLeastContrast = 40;

/// Ink of a picture (8 bits, 1 to 4 channels, of which the first three count), one byte a pixel: 0
/// is ground, 255 the strongest contrast around. Each channel's distance from its median in a
/// window of 21 pixels, the largest of them, in proportion to the local maximum. Pure.
[[nodiscard]] cv::Mat ink_of(const cv::Mat& picture);

/// Brings `ink`, which belonged to a picture that differed from `picture` in `changed` only, up to
/// date: exactly what ink_of() would say of the whole. Returns how many pixels were made anew.
std::int64_t renew_ink(cv::Mat& ink, const cv::Mat& picture, const std::vector<Rect>& changed);

}  // namespace gantry::ocr
