// SPDX-License-Identifier: Apache-2.0
// Boxes from the detector's map, parts of large pictures, and tight boxes.
#include <catch2/catch.hpp>
#include <limits>

#include "boxes.hpp"

namespace gantry::ocr_ppocr::test {
namespace {

cv::Mat map_with(const cv::Size& size, const std::vector<std::pair<cv::Rect, float>>& marks) {
  cv::Mat map = cv::Mat::zeros(size, CV_32FC1);
  for (const auto& [box, value] : marks) map(box).setTo(value);
  return map;
}

TEST_CASE("marks become boxes that are larger by what the detector leaves out") {
  const auto found = boxes_of(map_with({200, 100}, {{{40, 30, 100, 8}, 0.9F}}), {200, 100});
  REQUIRE(found.size() == 1);
  CHECK(found[0].core == cv::Rect(40, 30, 100, 8));
  // 800 * 1.6 / 216 is 6 pixels to each side.
  CHECK(found[0].box == cv::Rect(34, 24, 112, 20));
}

TEST_CASE("what is uncertain, tiny or outside of the picture is no line") {
  const std::vector<std::pair<cv::Rect, float>> none = {
      {{10, 10, 50, 8}, 0.29F},  // below the threshold
      {{10, 30, 50, 8}, 0.45F},  // above it, but not as a whole
      {{10, 50, 50, 2}, 0.9F},   // lower than a line
      {{90, 10, 2, 20}, 0.9F},
  };
  for (const auto& mark : none) CHECK(boxes_of(map_with({100, 100}, {mark}), {100, 100}).empty());
  // The map is larger than the picture, to a multiple of 32.
  CHECK(boxes_of(map_with({128, 128}, {{{110, 110, 10, 10}, 1}}), {100, 100}).empty());
  const auto cut = boxes_of(map_with({128, 128}, {{{80, 92, 40, 8}, 1}}), {100, 96});
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].box.br() == cv::Point(100, 96));
  CHECK(boxes_of(map_with({64, 64}, {{{0, 0, 64, 64}, std::numeric_limits<float>::quiet_NaN()}}),
                 {64, 64})
            .empty());
}

TEST_CASE("a picture is looked at in parts that cover it and lap over each other") {
  const std::vector<cv::Size> sizes = {{1, 1},       {640, 200},   {1920, 1080}, {3840, 2160},
                                       {40000, 900}, {900, 40000}, {7680, 4320}};
  for (const cv::Size& size : sizes) {
    const auto parts = parts_of(size);
    INFO(size.width << "x" << size.height << ": " << parts.size());
    const cv::Rect all(cv::Point(), size);
    std::int64_t covered = 0;
    for (const cv::Rect& part : parts) {
      CHECK((part & all) == part);
      CHECK(static_cast<std::int64_t>(part.width) * part.height <= 2 * kLargestPart);
      covered += static_cast<std::int64_t>(part.width) * part.height;
    }
    CHECK(covered >= static_cast<std::int64_t>(size.width) * size.height);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i].x == parts[i - 1].x) CHECK((parts[i] & parts[i - 1]).height >= kLap);
    }
  }
  CHECK(parts_of({640, 200}).size() == 1);
  CHECK(parts_of({1920, 1080}).size() == 3);
}

TEST_CASE("pieces of a line from two parts are one, lines below each other stay two") {
  const auto line = [](int x, int y, int width) {
    return Found{{x, y + 4, width, 6}, {x, y, width, 14}};
  };
  const auto out =
      joined({line(0, 0, 100), line(90, 1, 100), line(0, 12, 100), line(90, 30, 50)}, {0, 1, 1, 1});
  REQUIRE(out.size() == 3);
  CHECK(out[0].box == cv::Rect(0, 0, 190, 15));
  CHECK(joined({line(0, 0, 100), line(90, 1, 100)}, {0, 0}).size() == 2);  // one part saw both
  // The edge of the second part cuts a line, and it sees two pieces of that.
  const auto cut = joined({line(0, 0, 300), line(0, 4, 90), line(200, 4, 90)}, {0, 1, 1});
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].box == cv::Rect(0, 0, 300, 18));
}

TEST_CASE("a piece of a line never stands in the place of the line") {
  const cv::Rect whole(299, 256, 287, 15);
  const cv::Rect letter(299, 259, 2, 8);
  const cv::Rect above(20, 226, 238, 12);
  std::vector<cv::Rect> lines{above};
  add_new(lines, {letter, whole});
  CHECK(lines == std::vector<cv::Rect>{above, whole});
  lines = {letter};  // of another look
  add_new(lines, {whole});
  CHECK(lines == std::vector<cv::Rect>{whole});
  add_new(lines, {whole, letter, {500, 256, 120, 15}});  // known, or for the most part
  CHECK(lines == std::vector<cv::Rect>{whole});
  add_new(lines, {{580, 256, 60, 15}});  // it only begins there
  CHECK(lines.size() == 2);
}

TEST_CASE("a box is made tight, keeps dots and accents, and loses bits of its neighbours") {
  cv::Mat ink = cv::Mat::zeros(60, 100, CV_8UC1);
  const auto draw = [&](const cv::Rect& box) { ink(box).setTo(255); };
  const Found found{{20, 24, 60, 8}, {10, 16, 80, 24}};
  CHECK(tightened(found, ink) == found.box);  // no ink at all
  draw({20, 22, 60, 12});
  CHECK(tightened(found, ink) == cv::Rect(20, 22, 60, 12));
  draw({30, 19, 2, 2});  // the dot of an i, with a row between
  CHECK(tightened(found, ink) == cv::Rect(20, 19, 60, 15));
  draw({40, 38, 20, 10});  // the line below reaches into the box
  CHECK(tightened(found, ink) == cv::Rect(20, 19, 60, 15));
  draw({40, 10, 20, 8});  // and the one above
  CHECK(tightened(found, ink) == cv::Rect(20, 19, 60, 15));
}

}  // namespace
}  // namespace gantry::ocr_ppocr::test
