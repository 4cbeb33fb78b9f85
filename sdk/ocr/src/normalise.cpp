// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/normalise.hpp>

#include <opencv2/imgproc.hpp>

namespace gantry::ocr {
namespace {

/// Pixels of the median's window: bars of 16 pixels and more, such as chosen rows, are ground in
/// it, and letters of 24 pixels are not.
constexpr int kBackground = 21;
constexpr int kMaximumX = 2 * kMaximumReach + 1;  // pixels of the local maximum's window
constexpr int kMaximumY = 15;

/// The first three channels, or the only one.
cv::Mat colours_of(const cv::Mat& picture) {
  if (picture.channels() != 4) return picture;
  cv::Mat out;
  cv::cvtColor(picture, out, cv::COLOR_BGRA2BGR);
  return out;
}

cv::Rect grown(const cv::Rect& r, int x, int y, const cv::Size& within) {
  return cv::Rect(r.x - x, r.y - y, r.width + 2 * x, r.height + 2 * y) &
         cv::Rect(cv::Point(), within);
}

}  // namespace

cv::Mat ink_of(const cv::Mat& picture) {
  const cv::Mat colours = colours_of(picture);
  cv::Mat ground;
  cv::medianBlur(colours, ground, kBackground);
  cv::Mat distance;
  cv::absdiff(colours, ground, distance);
  if (distance.channels() == 3) {
    std::vector<cv::Mat> parts;
    cv::split(distance, parts);
    cv::max(parts[0], parts[1], distance);
    cv::max(distance, parts[2], distance);
  }
  cv::Mat most;
  const cv::Mat window = cv::getStructuringElement(cv::MORPH_RECT, cv::Size(kMaximumX, kMaximumY));
  cv::dilate(distance, most, window);
  cv::max(most, kLeastContrast, most);
  cv::Mat ink;
  cv::divide(distance, most, ink, 255);
  return ink;
}

std::int64_t renew_ink(cv::Mat& ink, const cv::Mat& picture, const std::vector<Rect>& changed) {
  std::int64_t made = 0;
  for (const Rect& part : changed) {
    const cv::Rect outer(part.x, part.y, part.width, part.height);
    const cv::Rect out = grown(outer, kReachX, kReachY, picture.size());
    const cv::Rect in = grown(out, kReachX, kReachY, picture.size());
    const cv::Mat fresh = ink_of(picture(in));
    fresh(out - in.tl()).copyTo(ink(out));
    made += in.area();
  }
  return made;
}

}  // namespace gantry::ocr
