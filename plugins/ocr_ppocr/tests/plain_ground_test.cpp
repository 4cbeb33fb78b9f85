// SPDX-License-Identifier: Apache-2.0
// The ink of lines that stand on one colour, beside the edges of bars.
#include <gantry/ocr/normalise.hpp>
#include <gantry/ocr/pictures.hpp>
#include <gantry/ocr/plain_ground.hpp>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>
#include <rendered_text.hpp>

namespace gantry::ocr_ppocr::test {
namespace {

using namespace gantry::ocr;
using namespace gantry::ocr::test;

constexpr Palette kViolet{{0.56, 0.16, 0.68}, {1, 1, 1}};

struct Button {
  cv::Mat pixels;
  cv::Rect text;
  cv::Mat ink;  // as it is without what is tested
};

Button button_with(const PixelFormat format) {
  std::vector<Rect> boxes;
  OcrRequest request;
  request.image = as_format(
      draw(300, 80, kLight, {{"Field pattern convert", 60, 30, 15, kViolet, true}}, &boxes),
      format);
  Button out;
  out.pixels = view_of(request, 1'000'000)->pixels.clone();
  out.text = {boxes[0].x, boxes[0].y, boxes[0].width, boxes[0].height};
  out.ink = with_bars_turned(ink_of(out.pixels));
  return out;
}

/// Pixels of ink where the picture has the colour that is at `ground`.
int ink_on_ground(const cv::Mat& ink, const cv::Mat& pixels, const cv::Rect& part,
                  const cv::Point& ground) {
  cv::Mat same;
  cv::Mat grey = pixels;
  if (pixels.channels() == 3) cv::cvtColor(pixels, grey, cv::COLOR_RGB2GRAY);
  if (pixels.channels() == 4) cv::cvtColor(pixels, grey, cv::COLOR_BGRA2GRAY);
  same = grey(part) == grey.at<std::uint8_t>(ground);
  return cv::countNonZero(same & (ink(part) > kLeastInk));
}

TEST_CASE("the ground of a button is no ink, in every layout of pixels") {
  const auto format =
      GENERATE(PixelFormat::Gray8, PixelFormat::Rgb8, PixelFormat::Bgrx8, PixelFormat::Bgra8);
  const Button button = button_with(format);
  const cv::Point ground(button.text.x - 4, button.text.y + 5);
  REQUIRE(ink_on_ground(button.ink, button.pixels, button.text, ground) > 0);
  cv::Mat ink = button.ink.clone();
  clean_lines(ink, button.pixels, {button.text});
  CHECK(ink_on_ground(ink, button.pixels, button.text, ground) == 0);
  CHECK(cv::countNonZero(ink(button.text) > 200) > button.text.area() / 10);
  cv::Mat around;
  cv::compare(ink, button.ink, around, cv::CMP_NE);
  around(button.text).setTo(0);
  CHECK(cv::countNonZero(around) == 0);
  const cv::Mat once = ink.clone();
  clean_lines(ink, button.pixels, {button.text});
  CHECK(cv::norm(ink, once, cv::NORM_INF) == 0);
}

TEST_CASE("ink stays as it is where the ground is not of one colour, or is not the text's") {
  const Button button = button_with(PixelFormat::Bgrx8);
  const auto cleaned = [&](const cv::Mat& pixels, const cv::Rect& line) {
    const auto plain = plain_ink(pixels, button.ink, line, line + cv::Size(4, 4) - cv::Point(2, 2));
    return plain && stands_free(*plain, line);
  };
  CHECK(cleaned(button.pixels, button.text));
  cv::Mat gradient = button.pixels.clone();
  for (int x = 0; x < gradient.cols; ++x) {
    gradient.col(x) -= cv::Scalar(x % 200, x % 120, x % 100);
  }
  CHECK_FALSE(cleaned(gradient, button.text));
  cv::Mat striped = button.pixels.clone();
  for (int x = 0; x < striped.cols; x += 40) {
    striped(cv::Rect(x, 0, 12, striped.rows)).setTo(cv::Scalar(200, 180, 90));
  }
  CHECK_FALSE(cleaned(striped, button.text));
  cv::Mat underlined = button.pixels.clone();  // a row of the text has no ground
  underlined.row(button.text.y + 6).setTo(cv::Scalar(255, 255, 255));
  CHECK_FALSE(cleaned(underlined, button.text));
  // A box that ends within the letters: above and below it there is not only ground.
  const cv::Rect within = button.text - cv::Size(0, 8) + cv::Point(0, 4);
  CHECK_FALSE(cleaned(button.pixels, within));
}

TEST_CASE("boxes at the edges of a picture and tiny ones do no harm") {
  const Button button = button_with(PixelFormat::Bgrx8);
  cv::Mat ink = button.ink.clone();
  clean_lines(ink, button.pixels,
              {{0, 0, 300, 80}, {299, 79, 1, 1}, {0, 0, 1, 1}, {0, 40, 300, 1}, {10, 0, 1, 80}});
  CHECK(ink.size() == button.ink.size());
}

}  // namespace
}  // namespace gantry::ocr_ppocr::test
