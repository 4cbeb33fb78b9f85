// SPDX-License-Identifier: Apache-2.0
#include "regions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "edges.hpp"

namespace gantry::vision_cv {
namespace {

constexpr int kLeastSide = 7;
constexpr int kLeastArea = 30;
constexpr int kCorner = 12;          // pixels that round corners may take of a side
constexpr int kSlack = 2;            // pixels from the box's side within which the outline may be
constexpr double kSideThere = 0.85;  // of a side
constexpr double kRing = 0.35;       // of the box; what fills less is the border of something
constexpr double kSame = 0.7;
constexpr int kMaxBorder = 3;

struct Labelled {
  cv::Mat labels;
  cv::Mat stats;

  [[nodiscard]] cv::Rect box(int label) const {
    const int* row = stats.ptr<int>(label);
    return {row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH],
            row[cv::CC_STAT_HEIGHT]};
  }
  [[nodiscard]] int area(int label) const { return stats.at<int>(label, cv::CC_STAT_AREA); }
  [[nodiscard]] bool has(int label, int x, int y) const { return labels.at<int>(y, x) == label; }
};

/// One side of a box: where it begins, which way it goes, and which way is in.
struct Side {
  cv::Point begin;
  cv::Point along;
  cv::Point inward;
  int length;
};

std::array<Side, 4> sides_of(const cv::Rect& box) {
  const cv::Point corner = box.tl();
  const cv::Point far(box.x + box.width - 1, box.y + box.height - 1);
  return {{{corner, {1, 0}, {0, 1}, box.width},
           {{corner.x, far.y}, {1, 0}, {0, -1}, box.width},
           {corner, {0, 1}, {1, 0}, box.height},
           {{far.x, corner.y}, {0, 1}, {-1, 0}, box.height}}};
}

/// The part of a stretch of the side near which the component is.
double there(const Labelled& all, int label, const Side& side, int from, int to) {
  int found = 0;
  for (int i = from; i < to; ++i) {
    for (int depth = 0; depth < kSlack; ++depth) {
      const cv::Point at = side.begin + side.along * i + side.inward * depth;
      if (!all.has(label, at.x, at.y)) continue;
      ++found;
      break;
    }
  }
  return to > from ? static_cast<double>(found) / (to - from) : 1.0;
}

/// How much of all sides is there; 0 when one of them is not a side.
double outline_of(const Labelled& all, int label, const cv::Rect& box) {
  const int corner = std::min({kCorner, box.width / 2, box.height / 2});
  double sum = 0;
  for (const Side& side : sides_of(box)) {
    const int third = side.length / 3;
    const double middle = there(all, label, side, third, std::max(third + 1, side.length - third));
    if (middle < kSideThere) return 0;
    const double straight = there(all, label, side, corner, side.length - corner);
    if (straight < kSideThere) return 0;
    sum += std::min(middle, straight);
  }
  return sum / 4;
}

/// How far the border goes on beyond the component at one place of a side.
int border_at(const cv::Mat& bgr, cv::Point at, cv::Point outward) {
  const cv::Rect all({}, bgr.size());
  int out = 0;
  for (int step = 1; step <= kMaxBorder; ++step) {
    const cv::Point here = at + outward * step;
    const cv::Point next = here + outward;
    if (!all.contains(here) || !all.contains(next)) break;
    if (differ(bgr, here, next)) out = step;
  }
  return out;
}

/// Of three places, what most of them say.
int border_of(const cv::Mat& bgr, const Side& side) {
  std::array<int, 3> found{};
  for (int i = 0; i < 3; ++i) {
    const cv::Point at = side.begin + side.along * (side.length * (i + 1) / 4);
    found[static_cast<std::size_t>(i)] = border_at(bgr, at, -side.inward);
  }
  std::sort(found.begin(), found.end());
  return found[1];
}

/// An edge is marked at the pixel before it, so the component lacks its last column and row.
cv::Rect with_border(const cv::Mat& bgr, cv::Rect box) {
  box.width = std::min(box.width + 1, bgr.cols - box.x);
  box.height = std::min(box.height + 1, bgr.rows - box.y);
  const auto sides = sides_of(box);
  const int top = border_of(bgr, sides[0]);
  const int bottom = border_of(bgr, sides[1]);
  const int left = border_of(bgr, sides[2]);
  const int right = border_of(bgr, sides[3]);
  return {box.x - left, box.y - top, box.width + left + right, box.height + top + bottom};
}

/// The mean of what is the component's own on its middle row and column.
cv::Vec3b ground_of(const cv::Mat& bgr, const Labelled& all, int label, const cv::Rect& box) {
  cv::Vec3i sum(0, 0, 0);
  int count = 0;
  const auto add = [&](int x, int y) {
    if (!all.has(label, x, y)) return;
    const auto& pixel = bgr.at<cv::Vec3b>(y, x);
    sum += cv::Vec3i(pixel[0], pixel[1], pixel[2]);
    ++count;
  };
  for (int x = box.x; x < box.x + box.width; ++x) add(x, box.y + box.height / 2);
  for (int y = box.y; y < box.y + box.height; ++y) add(box.x + box.width / 2, y);
  if (count == 0) return bgr.at<cv::Vec3b>(box.y + box.height / 2, box.x + box.width / 2);
  return {static_cast<std::uint8_t>(sum[0] / count), static_cast<std::uint8_t>(sum[1] / count),
          static_cast<std::uint8_t>(sum[2] / count)};
}

/// Of two that are nearly the same box, the outer one, unless that is a border only.
bool better(const Region& a, const Region& b) {
  const bool ring_a = a.filled < kRing;
  const bool ring_b = b.filled < kRing;
  return ring_a != ring_b ? ring_b : a.box.area() > b.box.area();
}

/// Without those that are others once more. `all` is sorted by the box's corner.
std::vector<Region> distinct(std::vector<Region> all) {
  std::vector<bool> gone(all.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size() && !gone[i]; ++j) {
      // Further down none has enough in common any more.
      if (all[j].box.y - all[i].box.y > all[i].box.height / 3) break;
      if (gone[j] || overlap_of(all[i].box, all[j].box) < kSame) continue;
      gone[better(all[i], all[j]) ? j : i] = true;
    }
  }
  std::vector<Region> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!gone[i]) out.push_back(std::move(all[i]));
  }
  return out;
}

}  // namespace

double overlap_of(const cv::Rect& a, const cv::Rect& b) {
  const double common = (a & b).area();
  const double both = static_cast<double>(a.area()) + b.area() - common;
  return both > 0 ? common / both : 0;
}

std::vector<Region> regions_of(const cv::Mat& bgr, const cv::Mat& edges) {
  Labelled all;
  cv::Mat centres;
  const int count =
      cv::connectedComponentsWithStats(~edges, all.labels, all.stats, centres, 4, CV_32S);
  std::vector<Region> out;
  for (int label = 1; label < count; ++label) {
    const cv::Rect box = all.box(label);
    if (box.width < kLeastSide || box.height < kLeastSide || all.area(label) < kLeastArea) continue;
    Region region;
    region.outline = outline_of(all, label, box);
    if (region.outline == 0) continue;
    region.filled = static_cast<double>(all.area(label)) / box.area();
    region.ground = ground_of(bgr, all, label, box);
    region.box = with_border(bgr, box);
    out.push_back(region);
  }
  std::stable_sort(out.begin(), out.end(), [](const Region& a, const Region& b) {
    return std::pair(a.box.y, a.box.x) < std::pair(b.box.y, b.box.x);
  });
  return distinct(std::move(out));
}

}  // namespace gantry::vision_cv
