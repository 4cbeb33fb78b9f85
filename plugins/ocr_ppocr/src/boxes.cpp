// SPDX-License-Identifier: Apache-2.0
#include "boxes.hpp"

#include <gantry/ocr/line_finder.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>

namespace gantry::ocr_ppocr {
namespace {

constexpr double kThreshold = 0.3;
constexpr double kBoxScore = 0.5;  // mean of a box
constexpr double kUnclip = 1.6;    // the detector marks the middle of a line only
constexpr int kLeastSide = 3;      // pixels
constexpr double kSameRow = 0.6;   // of the lower line's height
constexpr double kKnown = 0.3;     // of a line; with so much of it in another it is known
constexpr double kPiece = 0.8;     // of a line; with so much of it in another it is a piece of that

cv::Rect unclipped(const cv::Rect& core) {
  const double area = core.area();
  const double around = 2.0 * (core.width + core.height);
  const int reach = static_cast<int>(std::lround(area * kUnclip / around));
  return {core.x - reach, core.y - reach, core.width + 2 * reach, core.height + 2 * reach};
}

bool is_within(const cv::Rect& line, const cv::Rect& other, double share) {
  return (line & other).area() > share * line.area();
}

/// Whether two boxes are pieces of one line.
bool same_line(const cv::Rect& a, const cv::Rect& b) {
  const int top = std::max(a.y, b.y);
  const int bottom = std::min(a.y + a.height, b.y + b.height);
  if (bottom - top < kSameRow * std::min(a.height, b.height)) return false;
  return std::max(a.x, b.x) < std::min(a.x + a.width, b.x + b.width);
}

/// How far the ink of a line reaches from its row `from`, in steps of `step`. A run of rows that
/// reaches the edge of the box belongs to a neighbour, unless it is the line's own.
int end_of_ink(const std::vector<bool>& rows, int from, int step) {
  const auto inked = [&](int y) { return rows[static_cast<std::size_t>(y)]; };
  const auto within = [&](int y) { return y >= 0 && y < static_cast<int>(rows.size()); };
  const auto end_of_run = [&](int y) {
    while (within(y + step) && inked(y + step)) y += step;
    return y;
  };
  int end = end_of_run(from);
  for (int y = end + step; within(y); y += step) {
    if (!inked(y)) continue;
    y = end_of_run(y);
    if (within(y + step)) end = y;
  }
  return end;
}

/// The part with as much of the picture beside it as the network's input holds anyway.
cv::Rect filled(const cv::Rect& part, const cv::Size& size) {
  const int width = std::min(rounded_up(part.width, kGrain), size.width);
  const int height = std::min(rounded_up(part.height, kGrain), size.height);
  return {std::min(part.x, size.width - width), std::min(part.y, size.height - height), width,
          height};
}

}  // namespace

std::vector<Found> boxes_of(const cv::Mat& probability, const cv::Size& size) {
  cv::Mat mask = probability > kThreshold;
  cv::Mat labels;
  cv::Mat stats;
  cv::Mat centres;
  const int count = cv::connectedComponentsWithStats(mask, labels, stats, centres, 8);
  std::vector<Found> out;
  const cv::Rect all(cv::Point(), size);
  for (int i = 1; i < count; ++i) {
    const std::int32_t* row = stats.ptr<std::int32_t>(i);
    const cv::Rect core(row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH],
                        row[cv::CC_STAT_HEIGHT]);
    if (std::min(core.width, core.height) < kLeastSide) continue;
    if (cv::mean(probability(core))[0] < kBoxScore) continue;
    const Found found{core & all, unclipped(core) & all};
    if (!found.core.empty()) out.push_back(found);
  }
  return out;
}

std::vector<cv::Rect> parts_of(const cv::Size& size) {
  std::vector<cv::Rect> out;
  constexpr int kWidest = 4096;
  const int columns = std::max(1, (size.width + kWidest - 1) / kWidest);
  const int width = (size.width + columns - 1) / columns;
  const int most = std::max(3 * kLap, static_cast<int>(kLargestPart / (width + kLap)));
  const int rows = std::max(1, (size.height + most - 1) / most);
  const int height = (size.height + rows - 1) / rows;
  for (int y = 0; y < size.height; y += height) {
    for (int x = 0; x < size.width; x += width) {
      const cv::Rect part(x - kLap / 2, y - kLap / 2, width + kLap, height + kLap);
      out.push_back(filled(part & cv::Rect(cv::Point(), size), size));
    }
  }
  return out;
}

std::vector<Found> joined(std::vector<Found> lines, const std::vector<int>& part) {
  // A part whose edge cuts a line may see several pieces of it: what each was found as decides, not
  // what has been joined so far.
  std::vector<std::size_t> first(lines.size());  // of the pieces that belong together
  std::iota(first.begin(), first.end(), 0);
  const auto first_of = [&](std::size_t i) {
    while (first[i] != i) i = first[i] = first[first[i]];
    return i;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (part[i] == part[j] || !same_line(lines[i].box, lines[j].box)) continue;
      const auto [low, high] = std::minmax({first_of(i), first_of(j)});
      first[high] = low;
    }
  }
  std::vector<Found> out;
  std::vector<std::size_t> place(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t whole = first_of(i);
    if (whole == i) {
      place[i] = out.size();
      out.push_back(lines[i]);
      continue;
    }
    out[place[whole]].core |= lines[i].core;
    out[place[whole]].box |= lines[i].box;
  }
  return out;
}

void add_new(std::vector<cv::Rect>& lines, std::vector<cv::Rect> found) {
  // The detector may see a letter of a line by itself, beside the line.
  std::stable_sort(found.begin(), found.end(),
                   [](const cv::Rect& a, const cv::Rect& b) { return a.area() > b.area(); });
  for (const cv::Rect& line : found) {
    const bool known = std::any_of(lines.begin(), lines.end(), [&](const cv::Rect& other) {
      return is_within(line, other, kKnown);
    });
    if (known) continue;
    std::erase_if(lines, [&](const cv::Rect& other) { return is_within(other, line, kPiece); });
    lines.push_back(line);
  }
}

cv::Rect tightened(const Found& line, const cv::Mat& ink) {
  const cv::Rect& box = line.box;
  const cv::Mat inside = ink(box) >= ocr::kLeastInk;
  std::vector<bool> rows(static_cast<std::size_t>(box.height));
  int middle = -1;
  for (int y = 0; y < box.height; ++y) {
    rows[static_cast<std::size_t>(y)] = cv::countNonZero(inside.row(y)) > 0;
    const int centre = line.core.y + line.core.height / 2 - box.y;
    if (rows[static_cast<std::size_t>(y)] &&
        (middle < 0 || std::abs(y - centre) < std::abs(middle - centre))) {
      middle = y;
    }
  }
  if (middle < 0) return box;
  const int top = end_of_ink(rows, middle, -1);
  const int bottom = end_of_ink(rows, middle, 1);
  const cv::Mat kept = inside.rowRange(top, bottom + 1);
  int left = 0;
  int right = box.width - 1;
  while (left < right && cv::countNonZero(kept.col(left)) == 0) ++left;
  while (right > left && cv::countNonZero(kept.col(right)) == 0) --right;
  return {box.x + left, box.y + top, right - left + 1, bottom - top + 1};
}

}  // namespace gantry::ocr_ppocr
