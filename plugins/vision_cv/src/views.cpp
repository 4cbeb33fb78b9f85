// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"

#include <gantry/picture/check.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

namespace gantry::vision_cv {
namespace {

int type_of(PixelFormat format) {
  return CV_MAKETYPE(CV_8U, static_cast<int>(bytes_per_pixel(format)));
}

int conversion_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::Bgrx8:
    case PixelFormat::Bgra8: return cv::COLOR_BGRA2BGR;
    case PixelFormat::Rgb8: return cv::COLOR_RGB2BGR;
    case PixelFormat::Rgba8: return cv::COLOR_RGBA2BGR;
    case PixelFormat::Gray8: return cv::COLOR_GRAY2BGR;
  }
  return cv::COLOR_BGRA2BGR;
}

}  // namespace

cv::Rect cut_to(const Rect& region, cv::Size size) {
  const std::int64_t left = std::max<std::int64_t>(region.x, 0);
  const std::int64_t top = std::max<std::int64_t>(region.y, 0);
  const std::int64_t right =
      std::min<std::int64_t>(std::int64_t{region.x} + region.width, size.width);
  const std::int64_t bottom =
      std::min<std::int64_t>(std::int64_t{region.y} + region.height, size.height);
  if (right <= left || bottom <= top) return {};
  return {static_cast<int>(left), static_cast<int>(top), static_cast<int>(right - left),
          static_cast<int>(bottom - top)};
}

Result<View> view_of(const Image& image, const std::optional<Rect>& region,
                     std::int64_t max_pixels) {
  const std::int64_t pixels = std::int64_t{image.width} * image.height;
  if (image.width > 0 && image.height > 0 && pixels > max_pixels) {
    return invalid_argument(
        fmt::format("a picture of {}x{} has more than the {} pixels of max_pixels; ask for a "
                    "smaller one",
                    image.width, image.height, max_pixels));
  }
  GANTRY_TRY(picture::check_pixels(image));
  // OpenCV has no read-only matrix; nothing here writes to it.
  const cv::Mat whole(image.height, image.width, type_of(image.format),
                      const_cast<std::uint8_t*>(image.pixels.data()),
                      static_cast<std::size_t>(image.stride));
  if (!region) return View{whole, image.format, {}};
  const cv::Rect part = cut_to(*region, whole.size());
  if (part.empty()) {
    return invalid_argument(
        fmt::format("the region {}x{} at ({}, {}) is not in the picture of {}x{}", region->width,
                    region->height, region->x, region->y, image.width, image.height));
  }
  return View{whole(part), image.format, part.tl()};
}

cv::Mat bgr_of(const View& view) {
  cv::Mat out;
  cv::cvtColor(view.pixels, out, conversion_of(view.format));
  return out;
}

Image rgb_image(const cv::Mat& bgr) {
  const std::size_t row = static_cast<std::size_t>(bgr.cols) * 3;
  std::vector<std::uint8_t> bytes(row * static_cast<std::size_t>(bgr.rows));
  cv::Mat rgb(bgr.size(), CV_8UC3, bytes.data(), row);
  cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
  return {bgr.cols, bgr.rows, static_cast<std::int32_t>(row), PixelFormat::Rgb8,
          Buffer::of(std::move(bytes))};
}

}  // namespace gantry::vision_cv
