// SPDX-License-Identifier: Apache-2.0
#include "toggles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <vector>

namespace gantry::vision_cv {
namespace {

constexpr int kLeastToggle = 9;
constexpr int kLeastContrast = 8;    // of 255, between the outline and what is outside
constexpr int kMarkContrast = 40;    // between a mark and what is around it
constexpr double kThere = 0.35;      // coverage from which on a line of pixels is a part of it
constexpr double kEnough = 0.6;      // coverage that ends a walk from a corner
constexpr double kRoundFrom = 0.03;  // part of the square that is free at a corner; a circle: 0.05
constexpr double kRoundTo = 0.085;   // a diamond: 0.12
constexpr double kClosed = 0.9;      // of the outline
constexpr double kOutlineThere = 0.4;
constexpr double kLeastMark = 0.08;  // of the inside
constexpr double kMostMark = 0.75;
constexpr double kDisc = 0.6;  // of its box; a plus, a cross and a letter fill less

int apart(const cv::Vec3b& a, const cv::Vec3b& b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

int middle_of(std::vector<int>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One side of a box, from its outermost line of pixels inwards.
struct Edge {
  cv::Point begin;
  cv::Point along;
  cv::Point inward;
  int length;

  [[nodiscard]] cv::Point at(int i, int depth) const { return begin + along * i + inward * depth; }
};

/// Left, top, right, bottom.
std::array<Edge, 4> edges_of_box(const cv::Rect& box) {
  const cv::Point corner = box.tl();
  const cv::Point far = box.br() - cv::Point(1, 1);
  return {{{corner, {0, 1}, {1, 0}, box.height},
           {corner, {1, 0}, {0, 1}, box.width},
           {{far.x, corner.y}, {0, 1}, {-1, 0}, box.height},
           {{corner.x, far.y}, {1, 0}, {0, -1}, box.width}}};
}

/// A small square before what is outside of it.
class Small {
 public:
  Small(const cv::Mat& bgr, const cv::Rect& about) : bgr_(bgr), box_(about) {}

  /// False: too small, too large, not square, or nothing that differs from what is outside.
  bool fits() {
    if (box_.width > 2 * kToggleSide || box_.height > 2 * kToggleSide || !measure()) return false;
    tighten();
    const int low = std::min(box_.width, box_.height);
    const int high = std::max(box_.width, box_.height);
    return low >= kLeastToggle && high <= kToggleSide && high - low <= 2 && measure();
  }

  /// By the corners that agree; of `all` four, or of most of them.
  [[nodiscard]] Form form(bool all) const {
    int round = 0;
    int square = 0;
    for (const bool right : {false, true}) {
      for (const bool low : {false, true}) {
        const double here = free_at(right, low);
        if (here < kRoundFrom) ++square;
        if (here >= kRoundFrom && here <= kRoundTo) ++round;
      }
    }
    const int enough = all ? 4 : 3;
    if (round >= enough) return Form::Round;
    return square >= enough ? Form::Square : Form::Other;
  }

  [[nodiscard]] bool closed(Form form) const {
    return form == Form::Round ? ring_there() >= kClosed : sides_there() >= kClosed;
  }

  [[nodiscard]] bool marked(Form form) const {
    const cv::Vec3b around = solid();
    const cv::Rect inside(box_.x + 3, box_.y + 3, box_.width - 6, box_.height - 6);
    cv::Rect mark;
    int count = 0;
    for (int y = inside.y; y < inside.br().y; ++y) {
      for (int x = inside.x; x < inside.br().x; ++x) {
        if (apart(bgr_.at<cv::Vec3b>(y, x), around) < kMarkContrast) continue;
        mark |= cv::Rect(x, y, 1, 1);
        ++count;
      }
    }
    const double part = static_cast<double>(count) / inside.area();
    if (form == Form::Square) return part >= kLeastMark && part <= kMostMark;
    const cv::Point off = mark.tl() + mark.br() - inside.tl() - inside.br();
    return part >= kLeastMark && std::abs(off.x) <= 2 && std::abs(off.y) <= 2 &&
           std::abs(mark.width - mark.height) <= 1 && count >= kDisc * mark.area();
  }

 private:
  [[nodiscard]] bool within(cv::Point at) const {
    return at.x >= 0 && at.y >= 0 && at.x < bgr_.cols && at.y < bgr_.rows;
  }

  /// How much a pixel differs from what is outside of the corner next to it.
  [[nodiscard]] int contrast(cv::Point at) const {
    if (!within(at)) return 0;
    const std::size_t right = 2 * at.x >= 2 * box_.x + box_.width ? 1 : 0;
    const std::size_t low = 2 * at.y >= 2 * box_.y + box_.height ? 2 : 0;
    return apart(bgr_.at<cv::Vec3b>(at), outside_[right + low]);
  }

  /// 0 to 1, where 1 is what the outline differs by.
  [[nodiscard]] double cover(cv::Point at) const {
    return std::min(1.0, static_cast<double>(contrast(at)) / strength_);
  }

  /// Looks at what is outside, and how much the outline differs from that.
  bool measure() {
    const int left = box_.x - 2;
    const int right = box_.x + box_.width + 1;
    const int top = box_.y - 2;
    const int bottom = box_.y + box_.height + 1;
    for (std::size_t i = 0; i < outside_.size(); ++i) {
      // Where the picture ends, what is outside of the other side has to do.
      const bool at_right = right < bgr_.cols && (i % 2 == 1 || left < 0);
      const bool below = bottom < bgr_.rows && (i / 2 == 1 || top < 0);
      outside_[i] = bgr_.at<cv::Vec3b>(below ? bottom : std::max(top, 0),
                                       at_right ? right : std::max(left, 0));
    }
    std::vector<int> found;
    for (const Edge& edge : edges_of_box(box_)) {
      for (int i = edge.length / 3; i <= edge.length * 2 / 3; ++i) {
        int most = 0;
        for (int depth = 0; depth < 3; ++depth) most = std::max(most, contrast(edge.at(i, depth)));
        found.push_back(most);
      }
    }
    strength_ = middle_of(found);
    return strength_ >= kLeastContrast;
  }

  [[nodiscard]] double middle_cover(const Edge& edge, int depth) const {
    const int from = edge.length * 2 / 5;
    const int to = std::max(from + 1, edge.length * 3 / 5);
    double sum = 0;
    for (int i = from; i < to; ++i) sum += cover(edge.at(i, depth));
    return sum / (to - from);
  }

  /// Moves the sides to where the outline begins.
  void tighten() {
    std::array<int, 4> moved{};
    const auto edges = edges_of_box(box_);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      int depth = -2;
      while (depth < 2 && middle_cover(edges[i], depth) < kThere) ++depth;
      moved[i] = depth;
    }
    box_.x += moved[0];
    box_.y += moved[1];
    box_.width -= moved[0] + moved[2];
    box_.height -= moved[1] + moved[3];
  }

  /// The part of the square that is free at one corner.
  [[nodiscard]] double free_at(bool right, bool low) const {
    const int rows = std::max(3, box_.height * 3 / 10);
    double out = 0;
    for (int step = 0; step < rows; ++step) {
      const int y = low ? box_.y + box_.height - 1 - step : box_.y + step;
      double met = 0;
      for (int i = 0; i < box_.width / 2 && met < kEnough; ++i) {
        const double here = cover({right ? box_.x + box_.width - 1 - i : box_.x + i, y});
        met += here;
        out += 1 - here;
      }
    }
    return out / box_.area();
  }

  [[nodiscard]] double sides_there() const {
    const int corner = std::min(box_.width, box_.height) / 4;
    int found = 0;
    int all = 0;
    for (const Edge& edge : edges_of_box(box_)) {
      for (int i = corner; i < edge.length - corner; ++i, ++all) {
        found += std::max(cover(edge.at(i, 0)), cover(edge.at(i, 1))) >= kOutlineThere ? 1 : 0;
      }
    }
    return static_cast<double>(found) / std::max(all, 1);
  }

  /// The same on a circle.
  [[nodiscard]] double ring_there() const {
    constexpr int kSteps = 32;
    int found = 0;
    for (int i = 0; i < kSteps; ++i) {
      found +=
          std::max(cover(on_ring(i, kSteps, 0.5)), cover(on_ring(i, kSteps, 1.5))) >= kOutlineThere
              ? 1
              : 0;
    }
    return static_cast<double>(found) / kSteps;
  }

  [[nodiscard]] cv::Point on_ring(int i, int steps, double inset) const {
    const double angle = 2 * CV_PI * i / steps;
    const double across = box_.width / 2.0;
    const double down = box_.height / 2.0;
    return {box_.x + static_cast<int>(std::floor(across + (across - inset) * std::cos(angle))),
            box_.y + static_cast<int>(std::floor(down + (down - inset) * std::sin(angle)))};
  }

  /// What most of a circle within the outline has as its colour.
  [[nodiscard]] cv::Vec3b solid() const {
    constexpr int kSteps = 24;
    std::array<std::vector<int>, 3> channels;
    for (int i = 0; i < kSteps; ++i) {
      const auto& pixel = bgr_.at<cv::Vec3b>(on_ring(i, kSteps, 2.5));
      for (std::size_t k = 0; k < 3; ++k) channels[k].push_back(pixel[static_cast<int>(k)]);
    }
    cv::Vec3b out;
    for (std::size_t k = 0; k < 3; ++k) {
      out[static_cast<int>(k)] = static_cast<std::uint8_t>(middle_of(channels[k]));
    }
    return out;
  }

  const cv::Mat& bgr_;
  cv::Rect box_;
  std::array<cv::Vec3b, 4> outside_;
  int strength_ = 1;
};

Form closed_form(Small& small) {
  if (!small.fits()) return Form::Other;
  const Form form = small.form(true);
  return form != Form::Other && small.closed(form) ? form : Form::Other;
}

}  // namespace

Form form_of(const cv::Mat& bgr, const cv::Rect& box) {
  Small small(bgr, box);
  return small.fits() ? small.form(false) : Form::Other;
}

Form closed_form_of(const cv::Mat& bgr, const cv::Rect& box) {
  Small small(bgr, box);
  return closed_form(small);
}

Form ticked_form_of(const cv::Mat& bgr, const cv::Rect& box) {
  Small small(bgr, box);
  const Form form = closed_form(small);
  return form != Form::Other && small.marked(form) ? form : Form::Other;
}

}  // namespace gantry::vision_cv
