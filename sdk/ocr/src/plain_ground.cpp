// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/line_finder.hpp>
#include <gantry/ocr/normalise.hpp>
#include <gantry/ocr/plain_ground.hpp>
#include <gantry/ocr/striped_ground.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "ground.hpp"

namespace gantry::ocr {
namespace {

constexpr int kSameColour = 6;         // of 255, in each channel
constexpr int kDirt = kLeastInk / 2;   // ink that ground must not have
constexpr double kLeastGround = 0.35;  // of the rows of a text
constexpr double kLeastInRow = 0.08;   // of each of them: letters never fill one
constexpr double kFree = 0.7;          // of the rows above and below a text

/// Calls `visit` with the colour of each pixel of every third row.
template <class Visit>
void for_colours(const cv::Mat& picture, const Visit& visit) {
  const int step = picture.channels();
  const auto bytes = static_cast<std::size_t>(std::min(step, 3));
  for (int y = 0; y < picture.rows; y += 3) {
    const std::uint8_t* pixel = picture.ptr(y);
    for (int x = 0; x < picture.cols; ++x, pixel += step) {
      PlainColour colour = 0;
      for (std::size_t c = 0; c < bytes; ++c) colour |= PlainColour{pixel[c]} << (8 * c);
      visit(colour);
    }
  }
}

/// The colour that most pixels have, if a quarter of them do: such a one is left when each pixel
/// takes a vote from three others (Misra and Gries).
PlainColour most_frequent(const cv::Mat& picture) {
  struct Candidate {
    PlainColour colour = 0;
    int votes = 0;
  };
  std::array<Candidate, 3> candidates;
  for_colours(picture, [&](PlainColour colour) {
    Candidate* free = nullptr;
    for (Candidate& one : candidates) {
      if (one.colour == colour && one.votes > 0) {
        ++one.votes;
        return;
      }
      if (one.votes == 0) free = &one;
    }
    if (free != nullptr) {
      *free = {colour, 1};
    } else {
      for (Candidate& one : candidates) --one.votes;
    }
  });
  for (Candidate& one : candidates) one.votes = 0;
  for_colours(picture, [&](PlainColour colour) {
    for (Candidate& one : candidates) one.votes += one.colour == colour ? 1 : 0;
  });
  return std::max_element(candidates.begin(), candidates.end(),
                          [](const auto& a, const auto& b) { return a.votes < b.votes; })
      ->colour;
}

/// Whether ground shows in each of the text's rows and in each column.
bool is_everywhere(const cv::Mat& ground, const cv::Rect& text) {
  int all = 0;
  for (int y = text.y; y < text.y + text.height; ++y) {
    const int shown = cv::countNonZero(ground(cv::Rect(text.x, y, text.width, 1)));
    if (shown < kLeastInRow * text.width) return false;
    all += shown;
  }
  if (all < kLeastGround * text.area()) return false;
  cv::Mat columns;
  cv::reduce(ground.colRange(text.x, text.x + text.width), columns, 0, cv::REDUCE_MAX);
  return cv::countNonZero(columns) == columns.cols;
}

}  // namespace

cv::Rect with_margin(const cv::Rect& box, int margin, const cv::Rect& within) {
  return cv::Rect(box.x - margin, box.y - margin, box.width + 2 * margin, box.height + 2 * margin) &
         within;
}

cv::Mat distance_from(PlainColour colour, const cv::Mat& picture) {
  cv::Mat out;
  for (int c = 0; c < std::min(picture.channels(), 3); ++c) {
    cv::Mat one;
    cv::extractChannel(picture, one, c);
    cv::absdiff(one, cv::Scalar((colour >> (8U * static_cast<unsigned>(c))) & 0xFFU), one);
    if (out.empty()) {
      out = one;
    } else {
      cv::max(out, one, out);
    }
  }
  return out;
}

cv::Mat in_proportion(const cv::Mat& distance, const cv::Range& rows) {
  cv::Mat most;
  cv::reduce(distance.rowRange(rows), most, 0, cv::REDUCE_MAX);
  cv::dilate(most, most,
             cv::getStructuringElement(cv::MORPH_RECT, cv::Size(2 * kMaximumReach + 1, 1)));
  cv::max(most, kLeastContrast, most);
  cv::Mat ink;
  cv::divide(distance, cv::repeat(most, distance.rows, 1), ink, 255);
  return ink;
}

bool stands_on_one_colour(const cv::Mat& picture, const cv::Rect& core) {
  const cv::Rect text = with_margin(core, kAround, {cv::Point(), picture.size()});
  if (text.empty()) return true;
  const cv::Mat distance = distance_from(most_frequent(picture(text)), picture(text));
  return is_everywhere(distance <= kSameColour, {cv::Point(), text.size()});
}

std::optional<PlainInk> plain_ink(const cv::Mat& picture, const cv::Mat& ink, const cv::Rect& core,
                                  const cv::Rect& box) {
  const cv::Rect text = with_margin(core, kAround, box);
  if (text.empty()) return std::nullopt;
  const cv::Rect inside = text - box.tl();
  const cv::Mat distance = distance_from(most_frequent(picture(text)), picture(box));
  const cv::Mat ground = distance <= kSameColour;
  const cv::Mat dirt = ground & (ink(box) >= kDirt);
  if (cv::countNonZero(dirt) == 0) return std::nullopt;
  if (!is_everywhere(ground, inside)) return std::nullopt;
  return PlainInk{box, in_proportion(distance, cv::Range(inside.y, inside.y + inside.height))};
}

bool stands_free(const PlainInk& plain, const cv::Rect& text) {
  const cv::Rect inside = text - plain.box.tl();
  int rows = 0;
  int free = 0;
  for (const int y : {inside.y - 1, inside.y + inside.height}) {
    if (y < 0 || y >= plain.ink.rows) continue;
    const cv::Mat row = plain.ink(cv::Rect(inside.x, y, inside.width, 1)) < kLeastInk;
    free += cv::countNonZero(row);
    ++rows;
  }
  return rows > 0 && free >= kFree * rows * inside.width;
}

cv::Rect ground_around(const cv::Rect& line, const cv::Size& picture) {
  return with_margin(line, std::max(kAround, kStripeMargin), {cv::Point(), picture});
}

void clean_lines(cv::Mat& ink, const cv::Mat& picture, const std::vector<cv::Rect>& lines) {
  const cv::Rect all(cv::Point(), picture.size());
  for (const cv::Rect& line : lines) {
    const auto plain = plain_ink(picture, ink, line, with_margin(line, kAround, all));
    if (plain && stands_free(*plain, line)) {
      plain->ink(line - plain->box.tl()).copyTo(ink(line));
    } else if (const auto striped = striped_ink(picture, ink, line, line)) {
      striped->copyTo(ink(line));
    }
  }
}

}  // namespace gantry::ocr
