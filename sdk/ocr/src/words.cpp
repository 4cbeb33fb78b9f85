// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/words.hpp>

#include <algorithm>
#include <iterator>

namespace gantry::ocr {
namespace {

constexpr int kLeastGap = 2;        // columns of ground; letters are closer
constexpr int kInaccurate = 6;      // columns that the box of a word may be wrong by
constexpr int kBearing = 2;         // columns of a gap that another letter beside it may take
constexpr double kLeastRows = 0.5;  // of the lower line, which two readings of it share
constexpr int kLeastShape = 2;  // a narrower part, beside its height, says too little of the text

/// The gap between two words by the ink between them; empty where there is none.
cv::Range gap_between(const ReadWord& left, const ReadWord& right, const cv::Mat& ink) {
  const int end = left.box.x + left.box.width;
  const int from = std::max(std::min(end, right.box.x) - kInaccurate, left.box.x + 1);
  const int to = std::min(
      {std::max(end, right.box.x) + kInaccurate, right.box.x + right.box.width - 1, ink.cols});
  if (from >= to) return {};
  cv::Mat most;
  cv::reduce(ink.colRange(from, to), most, 0, cv::REDUCE_MAX);
  cv::Range widest;
  int begun = 0;
  for (int x = 0; x < most.cols; ++x) {
    if (most.at<std::uint8_t>(x) >= kLeastInk) begun = x + 1;
    if (x + 1 - begun > widest.size()) widest = {begun, x + 1};
  }
  if (widest.size() < kLeastGap) return {};
  return widest + from;
}

int middle(const cv::Range& gap) { return (gap.start + gap.end) / 2; }

auto at(const std::vector<ReadWord>& words, std::size_t index) {
  return words.begin() + static_cast<std::ptrdiff_t>(index);
}

/// The words of a line in stretches that gaps part.
std::vector<Stretch> parted(const std::vector<ReadWord>& words, const cv::Mat& ink) {
  std::vector<Stretch> out{{0, words.size(), {0, ink.cols}}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const cv::Range gap = gap_between(words[i - 1], words[i], ink);
    if (gap.empty()) continue;
    out.back().last = i;
    out.back().columns.end = middle(gap);
    out.push_back({i, words.size(), {middle(gap), ink.cols}});
  }
  return out;
}

bool same_column(const cv::Mat& a, int x, const cv::Mat& b, int y) {
  for (int row = 0; row < a.rows; ++row) {
    if (a.at<std::uint8_t>(row, x) != b.at<std::uint8_t>(row, y)) return false;
  }
  return true;
}

/// Columns that two lines of the same rows have in common: from the left up to `start`, from `end`
/// of the first one on.
cv::Range unlike(const cv::Mat& before, const cv::Mat& now) {
  const int most = std::min(before.cols, now.cols);
  int left = 0;
  while (left < most && same_column(before, left, now, left)) ++left;
  int right = 0;
  while (right < most - left &&
         same_column(before, before.cols - 1 - right, now, now.cols - 1 - right)) {
    ++right;
  }
  return {left, before.cols - right};
}

/// Whether a gap lies in what is the same on the left; the first letter behind it may reach in.
bool is_left_of(const cv::Range& gap, const cv::Range& changed) {
  return std::max(gap.end - kBearing, middle(gap) + 1) <= changed.start;
}

bool is_right_of(const cv::Range& gap, const cv::Range& changed) {
  return std::min(gap.start + kBearing, middle(gap) - 1) >= changed.end;
}

/// Whether they can be the same line, and the rows of both.
std::optional<cv::Range> rows_of_both(const cv::Rect& a, const cv::Rect& b) {
  const cv::Rect shared = a & b;
  if (shared.height < kLeastRows * std::min(a.height, b.height)) return std::nullopt;
  const cv::Rect both = a | b;
  return cv::Range(both.y, both.y + both.height);
}

}  // namespace

double least_certain(const std::vector<ReadWord>& words) {
  double out = words.empty() ? 0 : 100;
  for (const ReadWord& word : words) out = std::min(out, word.confidence);
  return out;
}

std::vector<Stretch> uncertain_in(const std::vector<ReadWord>& words, const cv::Mat& ink,
                                  double certain) {
  if (words.empty()) return {{0, 0, {0, ink.cols}}};
  std::vector<Stretch> out;
  for (const Stretch& part : parted(words, ink)) {
    const bool sure = std::all_of(at(words, part.first), at(words, part.last),
                                  [&](const ReadWord& w) { return w.confidence >= certain; });
    if (sure) continue;
    if (!out.empty() && out.back().last == part.first) {
      out.back().last = part.last;
      out.back().columns.end = part.columns.end;
    } else {
      out.push_back(part);
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<ReadWord> words_in(const std::vector<ReadWord>& words, const Stretch& part) {
  std::vector<ReadWord> out(at(words, part.first), at(words, part.last));
  for (ReadWord& word : out) word.box.x -= part.columns.start;
  return out;
}

void replace(std::vector<ReadWord>& words, const Stretch& part, std::vector<ReadWord> read) {
  for (ReadWord& word : read) word.box.x += part.columns.start;
  const auto place = words.erase(at(words, part.first), at(words, part.last));
  words.insert(place, std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
}

std::optional<Renewal> renewal_of(std::vector<ReadWord> words, const LineOfInk& before,
                                  const LineOfInk& now) {
  const auto rows = rows_of_both(before.box, now.box);
  if (!rows || words.size() < 2) return std::nullopt;
  const auto columns = [](const cv::Rect& box) { return cv::Range(box.x, box.x + box.width); };
  const cv::Range changed =
      unlike(before.ink(*rows, columns(before.box)), now.ink(*rows, columns(now.box)));
  const int wider = now.box.width - before.box.width;
  const int least = kLeastShape * now.box.height - wider;  // columns of `before`
  // The last gap that is left of the change, and the first that is right of it.
  Stretch part{0, words.size(), {0, before.box.width}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const cv::Range gap = gap_between(words[i - 1], words[i], before.ink(before.box));
    if (gap.empty()) continue;
    const int cut = middle(gap);
    if (is_left_of(gap, changed) && before.box.width - cut >= least) {
      part.first = i;
      part.columns.start = cut;
    } else if (is_right_of(gap, changed) && cut - part.columns.start >= least) {
      part.last = i;
      part.columns.end = cut;
      break;
    }
  }
  if (part.last - part.first == words.size()) return std::nullopt;
  part.columns.end += wider;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i].box.y += before.box.y - now.box.y;
    if (i >= part.last) words[i].box.x += wider;
  }
  return Renewal{std::move(words), part};
}

}  // namespace gantry::ocr
