// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/normalise.hpp>
#include <gantry/ocr/striped_ground.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "ground.hpp"

namespace gantry::ocr {
namespace {

constexpr int kStroke = 9;        // pixels; strokes of letters are thinner, stripes are wider
constexpr double kSample = 0.04;  // of a text's pixels: so many have the middle of a stroke
constexpr int kShades = 16;       // steps of a colour, so that a letter more or less changes none
constexpr int kSame = 48;         // of 255, that a pixel of the text's colour may be off
constexpr int kApart = 64;        // of 255, that ground is off at least
constexpr double kLeastText = 0.02;   // of the pixels, that have the text's colour
constexpr double kMostWide = 0.02;    // of those, that are ground by their width
constexpr int kLeastPeak = 170;       // of 255, that strokes reach in every part of the text
constexpr int kNoText = 32;           // of 255; what has less of the text's colour has none
constexpr int kSomeInk = 64;          // of 255; what has more is ink
constexpr double kLeastDirt = 0.001;  // of the pixels, that are ink by mistake

static_assert(kStroke <= kStripeMargin);

cv::Mat grey_of(const cv::Mat& picture) {
  if (picture.channels() == 1) return picture;
  cv::Mat out;
  cv::cvtColor(picture, out, picture.channels() == 4 ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY);
  return out;
}

/// The mean colour of the darkest pixels, or of the lightest.
PlainColour extreme_colour(const cv::Mat& picture, bool dark) {
  const cv::Mat grey = grey_of(picture);
  std::array<int, 256> counts{};
  for (int y = 0; y < grey.rows; ++y) {
    const std::uint8_t* row = grey.ptr(y);
    for (int x = 0; x < grey.cols; ++x) ++counts[row[x]];
  }
  const int wanted = std::max(1, static_cast<int>(kSample * static_cast<double>(grey.total())));
  int level = dark ? 0 : 255;
  int seen = counts[static_cast<std::size_t>(level)];
  while (seen < wanted) {
    level += dark ? 1 : -1;
    seen += counts[static_cast<std::size_t>(level)];
  }
  const cv::Mat chosen = dark ? cv::Mat(grey <= level) : cv::Mat(grey >= level);
  const cv::Scalar mean = cv::mean(picture, chosen);
  PlainColour out = 0;
  for (int c = 0; c < std::min(picture.channels(), 3); ++c) {
    const int shade = static_cast<int>(mean[c] + kShades / 2.0) / kShades * kShades;
    out |= static_cast<PlainColour>(std::min(shade, 255)) << (8U * static_cast<unsigned>(c));
  }
  return out;
}

/// How much of each pixel has a colour, of 255; none if that is no text's: strokes are thin, so
/// there is ground within reach wherever it is.
std::optional<cv::Mat> share_of(PlainColour colour, const cv::Mat& picture, const cv::Rect& text) {
  const cv::Mat distance = distance_from(colour, picture);
  cv::Mat ground;  // as it would be without the text
  cv::morphologyEx(distance, ground, cv::MORPH_CLOSE,
                   cv::getStructuringElement(cv::MORPH_RECT, cv::Size(kStroke, kStroke)));
  const cv::Mat same = distance(text) <= kSame;
  const int count = cv::countNonZero(same);
  const int wide = cv::countNonZero(same & (ground(text) < kApart));
  if (count < kLeastText * text.area() || wide > kMostWide * count) return std::nullopt;
  cv::Mat share = ground - distance;
  cv::max(ground, kLeastContrast, ground);
  cv::divide(share, ground, share, 255);
  return share;
}

/// Whether all words have that colour: no part as wide as two letters is without it.
bool is_all_along(const cv::Mat& share, const cv::Rect& text) {
  cv::Mat peaks;
  cv::reduce(share(text), peaks, 0, cv::REDUCE_MAX);
  const int wide = 2 * text.height | 1;
  cv::dilate(peaks, peaks, cv::getStructuringElement(cv::MORPH_RECT, cv::Size(wide, 1)));
  double least = 0;
  cv::minMaxLoc(peaks, &least);
  return least >= kLeastPeak;
}

}  // namespace

std::optional<cv::Mat> striped_ink(const cv::Mat& picture, const cv::Mat& ink, const cv::Rect& core,
                                   const cv::Rect& box) {
  const cv::Rect text = with_margin(core, kAround, box);
  if (text.empty() || stands_on_one_colour(picture, core)) return std::nullopt;
  const cv::Rect seen = with_margin(box, kStripeMargin, {cv::Point(), picture.size()});
  std::optional<cv::Mat> share;
  for (const bool dark : {true, false}) {
    auto one = share_of(extreme_colour(picture(text), dark), picture(seen), text - seen.tl());
    if (one && share) return std::nullopt;  // either may be the text
    if (one) share = std::move(one);
  }
  if (!share || !is_all_along(*share, text - seen.tl())) return std::nullopt;
  const cv::Mat dirt = (ink(text) >= kSomeInk) & ((*share)(text - seen.tl()) < kNoText);
  if (cv::countNonZero(dirt) < kLeastDirt * text.area()) return std::nullopt;
  const int top = text.y - box.y;
  return in_proportion((*share)(box - seen.tl()), cv::Range(top, top + text.height));
}

}  // namespace gantry::ocr
