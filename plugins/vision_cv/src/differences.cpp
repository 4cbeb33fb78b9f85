// SPDX-License-Identifier: Apache-2.0
#include "differences.hpp"

#include <gantry/picture/ssim.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "views.hpp"

namespace gantry::vision_cv {
namespace {

constexpr int kMaxGap = 200;

/// The strongest difference of any channel, a byte a pixel.
cv::Mat strongest_difference(const cv::Mat& before, const cv::Mat& after) {
  cv::Mat difference;
  cv::absdiff(before, after, difference);
  cv::Mat channels[3];
  cv::split(difference, channels);
  cv::Mat out = cv::max(channels[0], channels[1]);
  return cv::max(out, channels[2]);
}

/// Changed pixels that are at most `gap` apart become connected.
cv::Mat connected(const cv::Mat& changed, int gap) {
  if (gap <= 0) return changed;
  cv::Mat out;
  const int side = std::min(gap, kMaxGap) + 1;
  cv::dilate(changed, out, cv::getStructuringElement(cv::MORPH_RECT, {side, side}));
  return out;
}

VisionDifference difference_in(const cv::Mat& strength, const cv::Mat& changed,
                               const cv::Mat& labels, int label, const cv::Rect& box) {
  VisionDifference out;
  double sum = 0;
  int left = box.x + box.width;
  int right = box.x - 1;
  int top = box.y + box.height;
  int bottom = box.y - 1;
  for (int y = box.y; y < box.y + box.height; ++y) {
    const std::uint8_t* mask = changed.ptr(y);
    const std::uint8_t* much = strength.ptr(y);
    const int* mine = labels.ptr<int>(y);
    for (int x = box.x; x < box.x + box.width; ++x) {
      if (mask[x] == 0 || mine[x] != label) continue;
      ++out.changed_pixels;
      sum += much[x];
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = y;
    }
  }
  if (out.changed_pixels == 0) return out;
  out.bbox = {left, top, right - left + 1, bottom - top + 1};
  out.mean_difference = sum / static_cast<double>(out.changed_pixels);
  return out;
}

std::vector<VisionDifference> regions_of(const cv::Mat& strength, const cv::Mat& changed,
                                         const VisionCompareRequest& request) {
  cv::Mat labels;
  cv::Mat stats;
  cv::Mat centres;
  const int count = cv::connectedComponentsWithStats(connected(changed, request.gap), labels, stats,
                                                     centres, 8, CV_32S);
  std::vector<VisionDifference> out;
  for (int i = 1; i < count; ++i) {
    const cv::Rect box(stats.at<int>(i, cv::CC_STAT_LEFT), stats.at<int>(i, cv::CC_STAT_TOP),
                       stats.at<int>(i, cv::CC_STAT_WIDTH), stats.at<int>(i, cv::CC_STAT_HEIGHT));
    VisionDifference found = difference_in(strength, changed, labels, i, box);
    if (found.changed_pixels >= std::max(request.min_area, 1)) out.push_back(found);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::pair(a.bbox.y, a.bbox.x) < std::pair(b.bbox.y, b.bbox.x);
  });
  return out;
}

Image part_of(const View& view) {
  const cv::Mat bgr = bgr_of(view);
  return rgb_image(bgr);
}

}  // namespace

Result<VisionCompareResult> compare(const VisionCompareRequest& request, std::int64_t max_pixels) {
  GANTRY_ASSIGN(const View before, view_of(request.before, request.region, max_pixels));
  GANTRY_ASSIGN(const View after, view_of(request.after, request.region, max_pixels));
  if (request.before.width != request.after.width ||
      request.before.height != request.after.height) {
    return invalid_argument(fmt::format(
        "only pictures of one size can be compared: one is {}x{}, the other {}x{}",
        request.before.width, request.before.height, request.after.width, request.after.height));
  }
  const cv::Mat strength = strongest_difference(bgr_of(before), bgr_of(after));
  VisionCompareResult out;
  out.identical = cv::countNonZero(strength) == 0;
  out.ssim = picture::structural_similarity(picture::to_gray(part_of(before)),
                                            picture::to_gray(part_of(after)));
  const cv::Mat changed = strength > std::clamp(request.threshold, 0, 255);
  out.changed_pixels = cv::countNonZero(changed);
  if (out.changed_pixels == 0) return out;
  out.regions = regions_of(strength, changed, request);
  const auto limit = static_cast<std::size_t>(std::max(request.max_regions, 0));
  out.truncated = out.regions.size() > limit;
  if (out.truncated) out.regions.resize(limit);
  for (VisionDifference& region : out.regions) {
    region.bbox.x += before.corner.x;
    region.bbox.y += before.corner.y;
  }
  return out;
}

}  // namespace gantry::vision_cv
