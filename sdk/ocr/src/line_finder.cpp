// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/line_finder.hpp>

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace gantry::ocr {
namespace {

constexpr int kTallest = 64;        // pixels of a letter; what is larger is a picture
constexpr int kSmallest = 4;        // pixels of a letter; what is lower belongs to one or is dirt
constexpr int kLeastLine = 5;       // pixels of a line's height
constexpr double kBarInk = 0.62;    // of its box; joined letters have less than a bar with text
constexpr double kFrameInk = 0.25;  // of its box; frames and diagonals have less than letters

struct Part {
  cv::Rect box;
  int ink = 0;  // pixels
};

double share_of(const Part& part) { return static_cast<double>(part.ink) / part.box.area(); }

/// A button, a chosen row or a headline that is lower than the window of the background: it is ink
/// itself, and its text the ground in it.
bool is_bar(const Part& part) {
  const cv::Rect& box = part.box;
  return box.width > 24 && box.width > box.height && box.height >= 10 && box.height <= kTallest &&
         share_of(part) > kBarInk;
}

/// Frames, rules and pictures are no letters.
bool may_be_text(const Part& part) {
  const cv::Rect& box = part.box;
  if (box.height > kTallest) return false;
  if (box.height <= 3 && box.width > 24) return false;
  if (box.width <= 2 && box.height > 26) return false;
  return box.width <= 30 || box.height < 16 || share_of(part) >= kFrameInk;
}

std::vector<Part> parts_of(const cv::Mat& ink) {
  cv::Mat mask;
  cv::threshold(ink, mask, kLeastInk, 255, cv::THRESH_BINARY);
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
    out.push_back(part);
  }
  return out;
}

int median_of(const cv::Mat& ink) {
  std::array<int, 256> counts{};
  for (int y = 0; y < ink.rows; ++y) {
    const std::uint8_t* row = ink.ptr(y);
    for (int x = 0; x < ink.cols; ++x) ++counts[row[x]];
  }
  const int half = static_cast<int>(ink.total() / 2);
  int value = 0;
  for (int seen = counts[0]; seen <= half && value < 255;) {
    ++value;
    seen += counts[static_cast<std::size_t>(value)];
  }
  return value;
}

/// Makes the text in bars ink. Whether there was any.
bool turn_bars(cv::Mat& ink, const std::vector<Part>& parts) {
  bool turned = false;
  for (const Part& part : parts) {
    if (!is_bar(part)) continue;
    cv::Mat inside = ink(part.box);
    cv::absdiff(inside, cv::Scalar(median_of(inside)), inside);
    double most = 0;
    cv::minMaxLoc(inside, nullptr, &most);
    inside.convertTo(inside, -1, 255 / std::max<double>(most, kLeastInk));
    turned = true;
  }
  return turned;
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
    const int gap = std::clamp(letter * 7 / 5, 10, 32);  // monospaced blanks are wide
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
  // A lone stroke is a caret, a separator or the end of a bar.
  std::erase_if(lines, [](const cv::Rect& line) {
    return line.height < kLeastLine || line.width * 4 < line.height;
  });
  return lines;
}

/// Where a mark may stand that belongs to a line.
cv::Rect around(const cv::Rect& line, int above, int below) {
  return {line.x - line.height / 2, line.y - above, line.width + line.height,
          line.height + above + below};
}

/// Whether a mark of this size stands in a line or hangs from it.
bool holds(const cv::Rect& line, const cv::Rect& mark) {
  if (mark.height * 2 > line.height || mark.width > line.width) return false;
  // Accents and commas are narrow; what is wide and further away is the edge of a bar.
  const bool narrow = mark.width * 2 <= line.height;
  const cv::Rect near =
      narrow ? around(line, line.height / 6, line.height / 4) : around(line, 1, 2);
  return (near & mark) == mark;
}

/// Lines by the rows that they and their marks cross.
class LinesByRow {
 public:
  LinesByRow(const std::vector<cv::Rect>& lines, int rows)
      : lines_(lines), bands_(static_cast<std::size_t>(rows / kBand + 1)) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const int height = lines[i].height;
      const cv::Rect reach = around(lines[i], std::max(height / 6, 1), std::max(height / 4, 2));
      const int end = std::min(reach.y + reach.height, rows);
      for (int band = std::max(reach.y, 0) / kBand; band * kBand < end; ++band) {
        bands_[static_cast<std::size_t>(band)].push_back(i);
      }
    }
  }
  /// The first line that the mark belongs to; none if there is no such, or after too many looks.
  [[nodiscard]] std::optional<std::size_t> find(const cv::Rect& mark) {
    for (const std::size_t line : bands_[static_cast<std::size_t>(mark.y / kBand)]) {
      if (looks_ == kMostLooks) return std::nullopt;
      ++looks_;
      if (holds(lines_[line], mark)) return line;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::int64_t looks() const { return looks_; }

 private:
  static constexpr int kBand = 32;  // rows

  const std::vector<cv::Rect>& lines_;
  std::vector<std::vector<std::size_t>> bands_;
  std::int64_t looks_ = 0;
};

/// Dots, commas, accents and strokes that stand apart become part of their lines.
void attach_marks(Page& page, const std::vector<Part>& parts) {
  std::vector<cv::Rect>& lines = page.lines;
  const std::vector<cv::Rect> found = lines;
  LinesByRow by_row(found, page.ink.rows);
  const auto attach = [&](const cv::Rect& mark) {
    const auto line = by_row.find(mark);
    if (line) lines[*line] |= mark;
    return line.has_value();
  };
  for (const Part& part : parts) {
    if (part.box.height < kSmallest) (void)attach(part.box);
  }
  // Larger ones, as the commas of large text are, were taken for lines.
  std::vector<cv::Rect> whole;
  std::vector<bool> is_mark(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    is_mark[i] = found[i].width <= 2 * found[i].height && attach(found[i]);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!is_mark[i]) whole.push_back(lines[i]);
  }
  lines = std::move(whole);
  page.looks = by_row.looks();
}

}  // namespace

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

cv::Mat with_bars_turned(const cv::Mat& ink) {
  cv::Mat out = ink.clone();
  (void)turn_bars(out, parts_of(out));
  return out;
}

cv::Mat with_bars_turned_again(const cv::Mat& ink, const cv::Mat& before,
                               const std::vector<cv::Rect>& changed) {
  if (changed.empty()) return before;
  cv::Mat out = before.clone();
  // From an even row on, as labels follow pairs of rows: overlapping bars are turned in that order.
  const auto rows_around = [&](const cv::Rect& part, int reach) {
    return cv::Range(std::max(part.y - reach, 0) / 2 * 2,
                     std::min(part.y + part.height + reach, ink.rows));
  };
  for (const cv::Rect& part : changed) {
    // A bar that a change touches lies within kTallest rows of it, and one that crosses those rows
    // lies whole in twice as many; what is cut off there is too tall for a bar.
    const cv::Range renewed = rows_around(part, kTallest);
    const cv::Range seen = rows_around(part, 2 * kTallest);
    const cv::Mat turned = with_bars_turned(ink.rowRange(seen));
    turned.rowRange(renewed - seen.start).copyTo(out.rowRange(renewed));
  }
  return out;
}

Page find_lines(const cv::Mat& ink) {
  Page page{ink.clone(), {}, 0};
  std::vector<Part> parts = parts_of(page.ink);
  if (turn_bars(page.ink, parts)) parts = parts_of(page.ink);
  std::erase_if(parts, [](const Part& part) { return !may_be_text(part) || is_bar(part); });
  page.lines = smeared(parts, ink.size());
  attach_marks(page, parts);
  sort_for_reading(page.lines);
  return page;
}

}  // namespace gantry::ocr
