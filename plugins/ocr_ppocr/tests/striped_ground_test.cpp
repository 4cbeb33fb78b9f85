// SPDX-License-Identifier: Apache-2.0
// The ink of lines that stand on stripes.
#include <gantry/ocr/line_finder.hpp>
#include <gantry/ocr/normalise.hpp>
#include <gantry/ocr/pictures.hpp>
#include <gantry/ocr/plain_ground.hpp>
#include <gantry/ocr/striped_ground.hpp>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "striped_text.hpp"

namespace gantry::ocr_ppocr::test {
namespace {

using namespace gantry::ocr;
using namespace gantry::ocr::test;

struct Striped {
  cv::Mat pixels;
  cv::Rect text;
  cv::Mat ink;      // as it is without what is tested
  cv::Mat strokes;  // 255 where there is text
};

Striped striped_with(const Stripes& stripes, const PixelFormat format = PixelFormat::Bgrx8) {
  const std::vector<Label> labels = {{"Hidden template verify", 30, 30, 15}};
  std::vector<Rect> boxes;
  Striped out;
  OcrRequest request;
  request.image = draw(300, 80, {{1, 1, 1}, {0, 0, 0}}, labels, &boxes);
  cv::extractChannel(cv::Scalar(255) - view_of(request, 1'000'000)->pixels, out.strokes, 0);
  request.image = as_format(on_stripes(300, 80, stripes, labels), format);
  out.pixels = view_of(request, 1'000'000)->pixels.clone();
  out.text = {boxes[0].x, boxes[0].y, boxes[0].width, boxes[0].height};
  out.ink = with_bars_turned(ink_of(out.pixels));
  return out;
}

int ink_without_text(const Striped& on, const cv::Mat& ink) {
  return cv::countNonZero((ink(on.text) > kLeastInk) & (on.strokes(on.text) == 0));
}

TEST_CASE("edges of stripes are no ink and strokes are, dark or light, in every layout of pixels") {
  const auto format =
      GENERATE(PixelFormat::Gray8, PixelFormat::Rgb8, PixelFormat::Bgrx8, PixelFormat::Bgra8);
  const auto stripes = GENERATE(kGarish, kNight);
  const Striped on = striped_with(stripes, format);
  REQUIRE(ink_without_text(on, on.ink) > 20);
  cv::Mat ink = on.ink.clone();
  clean_lines(ink, on.pixels, {on.text});
  CHECK(ink_without_text(on, ink) == 0);
  const cv::Mat strong = on.strokes(on.text) > 200;
  CHECK(cv::countNonZero(strong & (ink(on.text) < 140)) == 0);
  cv::Mat around;
  cv::compare(ink, on.ink, around, cv::CMP_NE);
  around(on.text).setTo(0);
  CHECK(cv::countNonZero(around) == 0);
  const cv::Mat once = ink.clone();
  clean_lines(ink, on.pixels, {on.text});
  CHECK(cv::norm(ink, once, cv::NORM_INF) == 0);
}

TEST_CASE("ink stays as it is where a text's colour is not to be told") {
  const Striped on = striped_with(kPastel);
  const auto known = [&](const cv::Mat& pixels) {
    return striped_ink(pixels, with_bars_turned(ink_of(pixels)), on.text, on.text).has_value();
  };
  CHECK(known(on.pixels));
  CHECK_FALSE(known(cv::Mat(on.pixels.size(), CV_8UC4, cv::Scalar::all(200))));
  // A word of another colour, on a label of its own.
  cv::Mat labelled = on.pixels.clone();
  cv::Mat word = labelled(on.text).colRange(on.text.width - 45, on.text.width);
  word = cv::Scalar(255, 255, 255) - word;
  CHECK_FALSE(known(labelled));
  // A stripe that has the text's colour.
  Stripes same = kPastel;
  same.one = same.text;
  CHECK_FALSE(known(striped_with(same).pixels));
}

TEST_CASE("boxes on stripes at the edges of a picture and tiny ones do no harm") {
  const Striped on = striped_with(kPastel);
  cv::Mat ink = on.ink.clone();
  clean_lines(ink, on.pixels,
              {{0, 0, 300, 80}, {299, 79, 1, 1}, {0, 0, 1, 1}, {0, 40, 300, 1}, {10, 0, 1, 80}});
  CHECK(ink.size() == on.ink.size());
  CHECK_FALSE(striped_ink(on.pixels, on.ink, {10, 10, 5, 5}, {40, 40, 5, 5}).has_value());
}

}  // namespace
}  // namespace gantry::ocr_ppocr::test
