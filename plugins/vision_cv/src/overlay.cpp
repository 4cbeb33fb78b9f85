// SPDX-License-Identifier: Apache-2.0
#include "overlay.hpp"

#include <gantry/picture/png.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "views.hpp"

namespace gantry::vision_cv {
namespace {

constexpr std::size_t kMaxShapes = 5000;
constexpr std::size_t kMaxLabel = 200;
constexpr int kOutline = 3;
constexpr int kBoxDot = 4;
constexpr int kPointDot = 6;
constexpr double kLetters = 0.38;  // Hershey's letters at this scale are 11 pixels high
/// Coordinates beyond this are outside of every picture; OpenCV's own numbers are narrower.
constexpr std::int64_t kFar = 100'000;

const cv::Scalar kBoxColour(0x4f, 0x4d, 0xff);  // blue, green, red
const cv::Scalar kPointColour(0xff, 0x77, 0x16);

/// "#RRGGBB"; anything else is `other`.
cv::Scalar colour_or(std::string_view text, const cv::Scalar& other) {
  if (text.size() != 7 || text.front() != '#') return other;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 7, value, 16);
  if (error != std::errc() || end != text.data() + 7) return other;
  return {static_cast<double>(value & 0xffU), static_cast<double>((value >> 8U) & 0xffU),
          static_cast<double>(value >> 16U)};
}

int near(std::int64_t value) { return static_cast<int>(std::clamp(value, -kFar, kFar)); }

/// Latin letters with marks, and what they are without: from U+00C0 on.
constexpr std::string_view kPlain =
    "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty"  // U+00C0 to U+00FF
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL"
    "lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";  // U+0100 to U+017F

char plain(char32_t letter) {
  if (letter < 0x20 || letter == 0x7f) return ' ';
  if (letter < 0x7f) return static_cast<char>(letter);
  if (letter >= 0xC0 && letter - 0xC0 < kPlain.size()) return kPlain[letter - 0xC0];
  if (letter == 0xA0) return ' ';
  if (letter == 0x2013 || letter == 0x2014) return '-';
  return '?';
}

/// Reads one letter of UTF-8 and steps over it; what is no UTF-8 counts as a letter of its own.
char32_t take_letter(std::string_view text, std::size_t& at) {
  const auto first = static_cast<std::uint8_t>(text[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  char32_t out = more == 0 ? 0xFFFD : first & (0x3FU >> static_cast<unsigned>(more));
  for (int i = 0; i < more && at < text.size(); ++i) {
    const auto next = static_cast<std::uint8_t>(text[at]);
    if ((next & 0xC0U) != 0x80U) return 0xFFFD;
    out = (out << 6U) | (next & 0x3FU);
    ++at;
    if (i + 1 == more) return out;
  }
  return more == 0 ? out : 0xFFFD;
}

void draw_label(cv::Mat& picture, const std::string& text, int x, int y, const cv::Scalar& colour) {
  if (text.empty()) return;
  int below = 0;
  const cv::Size size = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, kLetters, 1, &below);
  // Smoothing takes a pixel around the letters.
  cv::putText(picture, text, {x + 1, y + 1 + size.height}, cv::FONT_HERSHEY_SIMPLEX, kLetters,
              colour, 1, cv::LINE_AA);
}

void draw_dot(cv::Mat& picture, int x, int y, int radius, const cv::Scalar& colour) {
  cv::circle(picture, {x, y}, radius, colour, cv::FILLED);
}

/// Four bars inside of the box, so that its outer edge stays where the box ends.
void draw_outline(cv::Mat& picture, const cv::Rect& box, const cv::Scalar& colour) {
  const int thick_x = std::min(kOutline, box.width);
  const int thick_y = std::min(kOutline, box.height);
  const cv::Rect all({}, picture.size());
  const cv::Rect bars[] = {{box.x, box.y, box.width, thick_y},
                           {box.x, box.y + box.height - thick_y, box.width, thick_y},
                           {box.x, box.y, thick_x, box.height},
                           {box.x + box.width - thick_x, box.y, thick_x, box.height}};
  for (const cv::Rect& bar : bars) picture(bar & all).setTo(colour);
}

void draw(cv::Mat& picture, const OverlayBox& shape) {
  const cv::Scalar colour = colour_or(shape.colour, kBoxColour);
  const int x = near(shape.bbox.x);
  const int y = near(shape.bbox.y);
  const cv::Rect box(x, y, std::clamp(shape.bbox.width, 0, static_cast<int>(2 * kFar)),
                     std::clamp(shape.bbox.height, 0, static_cast<int>(2 * kFar)));
  if (!box.empty()) draw_outline(picture, box, colour);
  if (shape.dot) draw_dot(picture, x + box.width / 2, y + box.height / 2, kBoxDot, colour);
  draw_label(picture, drawable(shape.label), x + 4, std::max(y - 14, 0), colour);
}

void draw(cv::Mat& picture, const OverlayPoint& shape) {
  const cv::Scalar colour = colour_or(shape.colour, kPointColour);
  const int x = near(shape.x);
  const int y = near(shape.y);
  draw_dot(picture, x, y, kPointDot, colour);
  draw_label(picture, drawable(shape.label), x + 8, std::max(y - 8, 0), colour);
}

}  // namespace

std::string drawable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size() && out.size() < kMaxLabel;) {
    out += plain(take_letter(text, at));
  }
  return out;
}

Result<VisionOverlayResult> overlay(const VisionOverlayRequest& request, std::int64_t max_pixels) {
  const std::size_t shapes = request.boxes.size() + request.points.size();
  if (shapes > kMaxShapes) {
    return invalid_argument(
        fmt::format("at most {} boxes and points can be drawn, {} were given", kMaxShapes, shapes));
  }
  GANTRY_ASSIGN(const View view, view_of(request.image, std::nullopt, max_pixels));
  cv::Mat picture = bgr_of(view);
  for (const OverlayBox& box : request.boxes) draw(picture, box);
  for (const OverlayPoint& point : request.points) draw(picture, point);
  GANTRY_ASSIGN(std::vector<std::uint8_t> png, picture::encode_png(rgb_image(picture)));
  VisionOverlayResult out;
  out.png = Buffer::of(std::move(png));
  out.width = picture.cols;
  out.height = picture.rows;
  out.annotations = static_cast<std::int32_t>(shapes);
  return out;
}

}  // namespace gantry::vision_cv
