// SPDX-License-Identifier: Apache-2.0
#include "edges.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace gantry::vision_cv {
namespace {

/// Marks into `out` where `a` and `b` differ. A simple loop over bytes, which compilers do 16 or 32
/// at a time.
void mark(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, int count) {
  for (int x = 0; x < count; ++x) {
    const std::uint8_t high = std::max(a[x], b[x]);
    const std::uint8_t low = std::min(a[x], b[x]);
    const auto apart = static_cast<std::uint8_t>(high - low);
    out[x] = static_cast<std::uint8_t>(out[x] | (apart > kSameColour ? 255 : 0));
  }
}

}  // namespace

cv::Mat edges_of(const cv::Mat& bgr) {
  cv::Mat out(bgr.size(), CV_8U, cv::Scalar(0));
  cv::Mat channels[3];
  cv::split(bgr, channels);
  for (const cv::Mat& channel : channels) {
    for (int y = 0; y < bgr.rows; ++y) {
      const std::uint8_t* row = channel.ptr(y);
      mark(row, row + 1, out.ptr(y), bgr.cols - 1);
      if (y + 1 < bgr.rows) mark(row, channel.ptr(y + 1), out.ptr(y), bgr.cols);
    }
  }
  return out;
}

bool differ(const cv::Mat& bgr, cv::Point a, cv::Point b) {
  const auto& first = bgr.at<cv::Vec3b>(a);
  const auto& second = bgr.at<cv::Vec3b>(b);
  for (int i = 0; i < 3; ++i) {
    if (std::abs(first[i] - second[i]) > kSameColour) return true;
  }
  return false;
}

}  // namespace gantry::vision_cv
