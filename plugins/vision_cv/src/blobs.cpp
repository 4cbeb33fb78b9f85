// SPDX-License-Identifier: Apache-2.0
#include "blobs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <utility>

namespace gantry::vision_cv {
namespace {

constexpr std::size_t kMaxAtoms =
    40'000;                     // a photograph has more; then its small ones are left out
constexpr int kMaxLetter = 44;  // pixels, height
constexpr int kMaxWord = 900;
constexpr double kTextDensity = 0.33;  // outlines of controls have less
constexpr double kBarDensity = 0.85;   // bars have more than letters
constexpr int kLeastIcon = 8;
constexpr int kMostIcon = 56;
constexpr int kIconGap = 6;  // pixels between the parts of an icon

bool may_be_letter(const Atom& atom) {
  return atom.box.height >= 2 && atom.box.height <= kMaxLetter && atom.box.width <= kMaxWord &&
         (atom.density >= kTextDensity || atom.box.height <= 8);
}

/// Sets of atoms that belong together.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> parent_;
};

/// Bars over each other are the icon of a menu.
bool are_stacked(const cv::Rect& a, const cv::Rect& b) {
  const auto is_bar = [](const cv::Rect& box) {
    return box.height <= 6 && box.width >= 2 * box.height && box.width >= 8;
  };
  const int common = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  return is_bar(a) && is_bar(b) && common * 10 >= std::max(a.width, b.width) * 8;
}

/// Whether `b`, which begins further right, goes on with the line of `a`.
bool goes_on(const cv::Rect& a, const cv::Rect& b) {
  if (are_stacked(a, b)) return false;
  const int low = std::min(a.height, b.height);
  const int high = std::max(a.height, b.height);
  const int gap = b.x - (a.x + a.width);
  const int common = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (low <= 4) return gap <= 3 && common > -3;  // dots, commas, hyphens
  return gap <= std::max(4, low * 2 / 5) && common * 2 >= low && high * 10 <= low * 24;
}

/// Lines by their rows, for neighbours to be found quickly.
constexpr int kRow = 8;

Groups lines_of(const std::vector<Atom>& atoms) {
  Groups groups(atoms.size());
  std::map<int, std::vector<std::size_t>> rows;  // each sorted by x, as the atoms are
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (!may_be_letter(atoms[i])) continue;
    const cv::Rect& box = atoms[i].box;
    for (int row = box.y / kRow; row <= (box.y + box.height) / kRow; ++row) rows[row].push_back(i);
  }
  for (const auto& [row, line] : rows) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const cv::Rect& mine = atoms[line[i]].box;
      for (std::size_t j = i + 1; j < line.size() && j < i + 12; ++j) {
        const cv::Rect& other = atoms[line[j]].box;
        if (other.x - (mine.x + mine.width) > kMaxLetter) break;
        if (goes_on(mine, other)) groups.join(line[i], line[j]);
      }
    }
  }
  return groups;
}

/// The height that most of a line's letters have.
int letter_height(const std::vector<Atom>& atoms, const std::vector<std::size_t>& line) {
  std::vector<int> heights;
  for (const std::size_t i : line) heights.push_back(atoms[i].box.height);
  const auto middle = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

/// An icon at the end of a line: higher than the letters, about as wide as high, a little apart.
bool is_icon_at_end(const cv::Rect& end, const cv::Rect& next, int height) {
  const int gap = std::max(next.x - (end.x + end.width), end.x - (next.x + next.width));
  return end.height >= 12 && end.height * 100 >= height * 135 && end.width * 10 >= end.height * 6 &&
         end.width * 10 <= end.height * 17 && gap >= 3;
}

void drop_icons(const std::vector<Atom>& atoms, std::vector<std::size_t>& line) {
  if (line.size() < 2) return;
  const int height = letter_height(atoms, line);
  if (is_icon_at_end(atoms[line.front()].box, atoms[line[1]].box, height)) line.erase(line.begin());
  if (line.size() < 2) return;
  if (is_icon_at_end(atoms[line.back()].box, atoms[line[line.size() - 2]].box, height)) {
    line.pop_back();
  }
}

cv::Rect box_of(const std::vector<Atom>& atoms, const std::vector<std::size_t>& line) {
  cv::Rect out = atoms[line.front()].box;
  for (const std::size_t i : line) out |= atoms[i].box;
  return out;
}

/// Two digits, "Go": as high as each other, on one line, narrower than high.
bool are_letters(const cv::Rect& a, const cv::Rect& b) {
  const auto narrow = [](const cv::Rect& box) { return box.width <= box.height; };
  return std::abs(a.height - b.height) <= 2 && std::abs(a.y - b.y) <= 2 && narrow(a) && narrow(b);
}

bool is_text(const std::vector<Atom>& atoms, const std::vector<std::size_t>& line) {
  const cv::Rect box = box_of(atoms, line);
  if (box.height < 5) return false;
  if (line.size() >= 3) return box.width * 10 >= box.height * 12;
  if (line.size() == 2) {
    if (are_letters(atoms[line[0]].box, atoms[line[1]].box)) return true;
    return box.width * 10 >= box.height * 18 || (box.height <= 16 && box.width >= box.height);
  }
  const Atom& only = atoms[line.front()];
  if (only.density < kTextDensity) return false;
  if (only.density > kBarDensity && box.height <= 7) return false;
  // Arrows of combo boxes are as wide as two low letters.
  if (box.height <= 8) return box.width >= box.height * 2 || box.width * 20 <= box.height * 17;
  if (box.height <= 13) {
    return box.width * 10 >= box.height * 13 || box.width * 20 <= box.height * 17;
  }
  return box.width * 10 >= box.height * 24;
}

bool near_square(const cv::Rect& box) {
  const int low = std::min(box.width, box.height);
  const int high = std::max(box.width, box.height);
  return low >= kLeastIcon && high <= kMostIcon && high * 10 <= low * 26;
}

}  // namespace

std::vector<Atom> atoms_of(const cv::Mat& edges) {
  cv::Mat labels;
  cv::Mat stats;
  cv::Mat centres;
  const int count = cv::connectedComponentsWithStats(edges, labels, stats, centres, 8, CV_32S);
  std::vector<Atom> out;
  const int least = static_cast<std::size_t>(count) > kMaxAtoms ? 12 : 2;
  for (int i = 1; i < count && out.size() < kMaxAtoms; ++i) {
    const int* row = stats.ptr<int>(i);
    if (row[cv::CC_STAT_AREA] < least) continue;
    const cv::Rect box(row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH],
                       row[cv::CC_STAT_HEIGHT]);
    out.push_back({box, static_cast<double>(row[cv::CC_STAT_AREA]) / box.area()});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Atom& a, const Atom& b) { return a.box.x < b.box.x; });
  return out;
}

std::vector<TextBox> texts_of(std::vector<Atom>& atoms) {
  Groups groups = lines_of(atoms);
  std::map<std::size_t, std::vector<std::size_t>> lines;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (may_be_letter(atoms[i])) lines[groups.of(i)].push_back(i);
  }
  std::vector<bool> used(atoms.size(), false);
  std::vector<TextBox> out;
  for (auto& [group, line] : lines) {
    drop_icons(atoms, line);
    if (!is_text(atoms, line)) continue;
    out.push_back({box_of(atoms, line), static_cast<int>(line.size())});
    for (const std::size_t i : line) used[i] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (!used[i]) atoms[kept++] = atoms[i];
  }
  atoms.resize(kept);
  return out;
}

std::vector<Icon> icons_of(const std::vector<Atom>& atoms, cv::Size picture) {
  // Painted at half the size: what touches belongs together.
  cv::Mat painted(picture.height / 2 + 1, picture.width / 2 + 1, CV_8U, cv::Scalar(0));
  const cv::Rect all({}, painted.size());
  std::vector<const Atom*> small;
  for (const Atom& atom : atoms) {
    if (atom.box.width > kMostIcon || atom.box.height > kMostIcon) continue;
    small.push_back(&atom);
    const cv::Rect& box = atom.box;
    const int half = kIconGap / 2;
    const cv::Rect wide((box.x - half) / 2, (box.y - half) / 2, (box.width + kIconGap) / 2 + 1,
                        (box.height + kIconGap) / 2 + 1);
    painted(wide & all).setTo(255);
  }
  cv::Mat labels;
  const int count = cv::connectedComponents(painted, labels, 8, CV_32S);
  std::vector<cv::Rect> boxes(static_cast<std::size_t>(count));
  for (const Atom* atom : small) {
    const cv::Rect& box = atom->box;
    const int label = labels.at<int>((box.y + box.height / 2) / 2, (box.x + box.width / 2) / 2);
    boxes[static_cast<std::size_t>(label)] |= box;
  }
  std::vector<Icon> out;
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    // An edge is marked one pixel before the shape that it is of.
    const cv::Rect box(boxes[i].x + 1, boxes[i].y + 1, boxes[i].width - 1, boxes[i].height - 1);
    if (!near_square(box)) continue;
    out.push_back({box, box.width <= 14 && box.height <= 14});
  }
  return out;
}

}  // namespace gantry::vision_cv
