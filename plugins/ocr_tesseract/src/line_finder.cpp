// SPDX-License-Identifier: Apache-2.0
#include "line_finder.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstdint>

namespace gantry::ocr_tesseract {
namespace {

constexpr int kInk = 90;            // of 255; fainter is antialiasing or ground
constexpr int kTallest = 64;        // pixels of a letter; what is larger is a picture
constexpr int kSmallest = 4;        // pixels of a letter; what is lower belongs to one or is dirt
constexpr int kLeastLine = 5;       // pixels of a line's height
constexpr double kFrameInk = 0.25;  // of its box; frames and diagonals have less than letters

struct Part {
  cv::Rect box;
  int ink = 0;  // pixels
};

/// Frames, rules, bars and pictures are no letters.
bool may_be_text(const Part& part) {
  const cv::Rect& box = part.box;
  if (box.height > kTallest) return false;
  if (box.height <= 3 && box.width > 24) return false;
  if (box.width <= 2 && box.height > 26) return false;
  const double share = static_cast<double>(part.ink) / box.area();
  if (box.width > 30 && box.height >= 16 && share < kFrameInk) return false;
  // As wide as a joined word may be, and filled: a bar or a button.
  return !(box.width > 20 && box.height > 8 && share > 0.85);
}

std::vector<Part> parts_of(const cv::Mat& ink) {
  cv::Mat mask;
  cv::threshold(ink, mask, kInk, 255, cv::THRESH_BINARY);
  cv::Mat labels;
  cv::Mat stats;
  cv::Mat centres;
  const int count = cv::connectedComponentsWithStats(mask, labels, stats, centres, 8);
  std::vector<Part> out;
  for (int i = 1; i < count; ++i) {
    const std::int32_t* row = stats.ptr<std::int32_t>(i);
    const Part part{cv::Rect(row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH],
                             row[cv::CC_STAT_HEIGHT]),
                    row[cv::CC_STAT_AREA]};
    if (may_be_text(part)) out.push_back(part);
  }
  return out;
}

/// Boxes of letters smeared to the right over the gap that words of a line have. Only the middle
/// of each is drawn, so that lines one below the other stay apart.
std::vector<cv::Rect> smeared(const std::vector<Part>& parts, const cv::Size& size) {
  cv::Mat mask = cv::Mat::zeros(size, CV_8UC1);
  for (const Part& part : parts) {
    const cv::Rect& box = part.box;
    // Hyphens and signs are as wide as letters, and bridge the gap between two words. Dots do not.
    if (box.height < kSmallest && box.width < kSmallest) continue;
    const int cut = box.height / 5;
    const int letter = box.height < kSmallest ? 2 * box.width : box.height;
    const int gap = std::clamp(letter, 7, 24);
    const cv::Rect drawn(box.x, box.y + cut, box.width + gap, box.height - 2 * cut);
    cv::rectangle(mask, drawn & cv::Rect(cv::Point(), size), 255, cv::FILLED);
  }
  cv::Mat labels;
  cv::Mat stats;
  cv::Mat centres;
  const int count = cv::connectedComponentsWithStats(mask, labels, stats, centres, 4);
  // The whole boxes of the letters that each of them holds.
  std::vector<cv::Rect> lines(static_cast<std::size_t>(count));
  for (const Part& part : parts) {
    if (part.box.height < kSmallest && part.box.width < kSmallest) continue;
    const int middle = part.box.y + part.box.height / 2;
    const int label = labels.at<std::int32_t>(middle, part.box.x);
    cv::Rect& line = lines[static_cast<std::size_t>(label)];
    line = line.empty() ? part.box : (line | part.box);
  }
  std::erase_if(lines, [](const cv::Rect& line) { return line.height < kLeastLine; });
  return lines;
}

/// Dots, commas and strokes belong to the line that they stand in or hang from.
void attach_small(std::vector<cv::Rect>& lines, const std::vector<Part>& parts) {
  const std::vector<cv::Rect> found = lines;
  for (const Part& part : parts) {
    if (part.box.height >= kSmallest) continue;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const cv::Rect& line = found[i];
      const cv::Rect near(line.x - line.height / 2, line.y - line.height / 4,
                          line.width + line.height, line.height + line.height / 2);
      if ((near & part.box) != part.box) continue;
      lines[i] |= part.box;
      break;
    }
  }
}

/// Rows from the top, in a row from the left. A row is what the middle of its first line crosses.
void sort_for_reading(std::vector<cv::Rect>& lines) {
  const auto middle = [](const cv::Rect& r) { return r.y + r.height / 2; };
  std::sort(lines.begin(), lines.end(), [&](const cv::Rect& a, const cv::Rect& b) {
    return std::pair(middle(a), a.x) < std::pair(middle(b), b.x);
  });
  for (auto first = lines.begin(); first != lines.end();) {
    const int bottom = first->y + first->height;
    const auto end =
        std::find_if(first, lines.end(), [&](const cv::Rect& r) { return middle(r) >= bottom; });
    std::sort(first, end, [](const cv::Rect& a, const cv::Rect& b) { return a.x < b.x; });
    first = end;
  }
}

}  // namespace

std::vector<cv::Rect> find_lines(const cv::Mat& ink) {
  const std::vector<Part> parts = parts_of(ink);
  std::vector<cv::Rect> lines = smeared(parts, ink.size());
  attach_small(lines, parts);
  sort_for_reading(lines);
  return lines;
}

}  // namespace gantry::ocr_tesseract
