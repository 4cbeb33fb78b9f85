// SPDX-License-Identifier: Apache-2.0
//
// Pictures of messages as matrices.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>

namespace gantry::vision_cv {

/// A part of a picture, without a copy of its pixels, and where it is in the picture.
struct View {
  cv::Mat pixels;  // of 1, 3 or 4 channels; valid as long as the message; not to be written to
  PixelFormat format = PixelFormat::Bgrx8;
  cv::Point corner;

  [[nodiscard]] cv::Rect area() const { return {corner, pixels.size()}; }
};

/// Errors: invalid_argument (no picture, fewer bytes than its size needs, more than `max_pixels`,
/// a region that lies beside it).
Result<View> view_of(const Image& image, const std::optional<Rect>& region,
                     std::int64_t max_pixels);

/// The part of `region` in a picture of this size; empty when there is none. Takes any numbers.
[[nodiscard]] cv::Rect cut_to(const Rect& region, cv::Size size);

/// Blue, green, red: a copy of its own.
[[nodiscard]] cv::Mat bgr_of(const View& view);

inline Rect rect_of(const cv::Rect& from) { return {from.x, from.y, from.width, from.height}; }

/// The picture of a matrix of blue, green and red, as a file would have it.
[[nodiscard]] Image rgb_image(const cv::Mat& bgr);

}  // namespace gantry::vision_cv
