// SPDX-License-Identifier: Apache-2.0
#include "colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "views.hpp"

namespace gantry::vision_cv {
namespace {

constexpr std::size_t kMaxRegions = 4096;
constexpr int kMaxSamples = 200;  // of a side
/// Colours are counted in cells of 16 steps a channel.
constexpr std::size_t kCells = 16 * 16 * 16;
/// Sum over the channels from which on two colours are told apart at a glance.
constexpr int kClear = 90;
/// Part of the pixels that a foreground has to have at least.
constexpr double kLeastForeground = 0.01;

struct Cell {
  std::int64_t count = 0;
  std::array<std::int64_t, 3> sum{};

  [[nodiscard]] cv::Vec3b mean() const {
    const std::int64_t n = std::max<std::int64_t>(count, 1);
    return {static_cast<std::uint8_t>(sum[0] / n), static_cast<std::uint8_t>(sum[1] / n),
            static_cast<std::uint8_t>(sum[2] / n)};
  }
};

std::size_t cell_of(const cv::Vec3b& pixel) {
  return (static_cast<std::size_t>(pixel[0] >> 4) << 8U) |
         (static_cast<std::size_t>(pixel[1] >> 4) << 4U) | static_cast<std::size_t>(pixel[2] >> 4);
}

int distance(const cv::Vec3b& a, const cv::Vec3b& b) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
}

double brightness(const cv::Vec3b& bgr) { return 0.114 * bgr[0] + 0.587 * bgr[1] + 0.299 * bgr[2]; }

int saturation(const cv::Vec3b& bgr) {
  return std::max({bgr[0], bgr[1], bgr[2]}) - std::min({bgr[0], bgr[1], bgr[2]});
}

struct Hue {
  double below;  // degrees
  std::string_view name;
};
constexpr Hue kHues[] = {{15, "red"},     {42, "orange"}, {68, "yellow"},
                         {165, "green"},  {195, "cyan"},  {255, "blue"},
                         {292, "purple"}, {338, "pink"},  {361, "red"}};

double hue_of(const cv::Vec3b& bgr) {
  const double blue = bgr[0];
  const double green = bgr[1];
  const double red = bgr[2];
  const double most = std::max({red, green, blue});
  const double range = most - std::min({red, green, blue});
  double hue = 0;
  if (most == red) {
    hue = 60 * (green - blue) / range;
  } else if (most == green) {
    hue = 60 * (blue - red) / range + 120;
  } else {
    hue = 60 * (red - green) / range + 240;
  }
  return hue < 0 ? hue + 360 : hue;
}

/// The ground and what is on it: of the two that which has a colour, else the ground.
const cv::Vec3b& striking(const cv::Vec3b& ground, const cv::Vec3b& front, bool has_front) {
  constexpr int kColourful = 60;
  if (saturation(ground) >= kColourful || !has_front) return ground;
  return saturation(front) >= kColourful ? front : ground;
}

}  // namespace

std::string hex_of(const cv::Vec3b& bgr) {
  return fmt::format("#{:02x}{:02x}{:02x}", bgr[2], bgr[1], bgr[0]);
}

std::string name_of(const cv::Vec3b& bgr) {
  const double light = brightness(bgr);
  const int most = std::max({bgr[0], bgr[1], bgr[2]});
  const int colour = saturation(bgr);
  if (most < 40) return "black";
  if (colour < 28 || colour * 100 < most * 14) {
    if (light > 225) return "white";
    return light < 48 ? "black" : "grey";
  }
  const double hue = hue_of(bgr);
  if (hue >= 10 && hue < 45 && most < 165 && colour * 100 > most * 30) return "brown";
  const auto* found = std::find_if(std::begin(kHues), std::end(kHues),
                                   [&](const Hue& row) { return hue < row.below; });
  return std::string(found->name);
}

VisionColour colour_of(const cv::Mat& bgr) {
  std::vector<Cell> cells(kCells);
  const int step_x = std::max(1, bgr.cols / kMaxSamples);
  const int step_y = std::max(1, bgr.rows / kMaxSamples);
  Cell all;
  const auto add = [](Cell& cell, const cv::Vec3b& pixel) {
    ++cell.count;
    for (std::size_t i = 0; i < 3; ++i) cell.sum[i] += pixel[static_cast<int>(i)];
  };
  for (int y = 0; y < bgr.rows; y += step_y) {
    const auto* row = bgr.ptr<cv::Vec3b>(y);
    for (int x = 0; x < bgr.cols; x += step_x) {
      add(cells[cell_of(row[x])], row[x]);
      add(all, row[x]);
    }
  }
  std::vector<Cell> used;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(used),
               [](const Cell& cell) { return cell.count > 0; });
  std::stable_sort(used.begin(), used.end(),
                   [](const Cell& a, const Cell& b) { return a.count > b.count; });
  const cv::Vec3b ground = used.front().mean();
  const auto front = std::find_if(used.begin() + 1, used.end(), [&](const Cell& cell) {
    return distance(cell.mean(), ground) >= kClear;
  });
  const bool has_front =
      front != used.end() &&
      static_cast<double>(front->count) >= kLeastForeground * static_cast<double>(all.count);
  VisionColour out;
  out.background = hex_of(ground);
  out.mean = hex_of(all.mean());
  if (has_front) out.foreground = hex_of(front->mean());
  out.name = name_of(has_front ? striking(ground, front->mean(), true) : ground);
  out.dark = brightness(ground) < 128;
  return out;
}

Result<VisionColoursResult> colours(const VisionColoursRequest& request, std::int64_t max_pixels) {
  if (request.regions.size() > kMaxRegions) {
    return invalid_argument(fmt::format("at most {} regions can be asked for, {} were given",
                                        kMaxRegions, request.regions.size()));
  }
  GANTRY_ASSIGN(const View whole, view_of(request.image, std::nullopt, max_pixels));
  std::vector<Rect> regions = request.regions;
  if (regions.empty()) regions.push_back({0, 0, request.image.width, request.image.height});
  VisionColoursResult out;
  for (const Rect& region : regions) {
    const cv::Rect part = cut_to(region, whole.pixels.size());
    VisionColour colour;
    if (!part.empty()) colour = colour_of(bgr_of({whole.pixels(part), whole.format, part.tl()}));
    colour.bbox = rect_of(part);
    out.colours.push_back(std::move(colour));
  }
  return out;
}

}  // namespace gantry::vision_cv
