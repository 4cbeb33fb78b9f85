// SPDX-License-Identifier: Apache-2.0
// Parts of lines, on ink that the tests draw.
#include <gantry/ocr/words.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace gantry::ocr_tesseract::test {
namespace {

using ocr::LineOfInk;
using ocr::ReadWord;
using ocr::renewal_of;
using ocr::Stretch;
using ocr::uncertain_in;

constexpr int kRows = 10;
const cv::Rect kLine(20, 30, 200, kRows);

/// Letters from column `from` to `to` of a line: strokes with a blank column between them.
void letters(cv::Mat& ink, int from, int to, int weight = 255) {
  for (int x = from; x < to; x += 2) ink(cv::Rect(kLine.x + x, kLine.y, 1, kRows)).setTo(weight);
}

/// Words at columns 0, 60, 120 and 160 of a line.
cv::Mat four_words() {
  cv::Mat ink = cv::Mat::zeros(100, 400, CV_8UC1);
  letters(ink, 0, 50);
  letters(ink, 60, 110);
  letters(ink, 120, 150);
  letters(ink, 160, 200);
  return ink;
}

std::vector<ReadWord> four(double a, double b, double c, double d) {
  return {{"one", a, {0, 0, 49, kRows}},
          {"two", b, {61, 0, 48, kRows}},  // boxes of words are off by some columns
          {"three", c, {118, 0, 33, kRows}},
          {"four", d, {160, 0, 40, kRows}}};
}

std::string text_of(const std::vector<ReadWord>& words) {
  std::string out;
  for (const ReadWord& word : words) {
    out += (out.empty() ? "" : " ") + word.text + "@" + std::to_string(word.box.x);
  }
  return out;
}

TEST_CASE("uncertain words are parted from the others in the middle of gaps, the last first") {
  const cv::Mat page = four_words();
  const cv::Mat ink = page(kLine);
  CHECK(uncertain_in(four(90, 90, 90, 90), ink, 60).empty());

  const auto two = uncertain_in(four(90, 40, 90, 10), ink, 60);
  REQUIRE(two.size() == 2);
  CHECK(two[0].first == 3);
  CHECK(two[0].last == 4);
  CHECK(two[0].columns == cv::Range(154, 200));
  CHECK(two[1].first == 1);
  CHECK(two[1].last == 2);
  CHECK(two[1].columns == cv::Range(54, 114));

  const auto together = uncertain_in(four(90, 40, 30, 90), ink, 60);
  REQUIRE(together.size() == 1);
  CHECK(together[0].columns == cv::Range(54, 154));

  const auto all = uncertain_in({}, ink, 60);
  REQUIRE(all.size() == 1);
  CHECK(all[0].columns == cv::Range(0, 200));
}

TEST_CASE("words without a gap between them stay together") {
  cv::Mat page = four_words();
  letters(page, 49, 60);  // as an underline would
  const auto parts = uncertain_in(four(90, 40, 90, 90), page(kLine), 60);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].first == 0);
  CHECK(parts[0].last == 2);
  CHECK(parts[0].columns == cv::Range(0, 114));
}

TEST_CASE("a part that was read takes the place of its words") {
  std::vector<ReadWord> words = four(90, 40, 90, 90);
  const Stretch part{1, 2, {54, 114}};
  CHECK(text_of(words_in(words, part)) == "two@7");
  replace(words, part, {{"t", 80, {6, 0, 20, kRows}}, {"wo", 80, {30, 0, 20, kRows}}});
  CHECK(text_of(words) == "one@0 t@60 wo@84 three@118 four@160");
  replace(words, {0, 3, {0, 114}}, {});
  CHECK(text_of(words) == "three@118 four@160");
  std::vector<ReadWord> none;
  replace(none, {0, 0, {0, 200}}, {{"new", 80, {3, 0, 20, kRows}}});
  CHECK(text_of(none) == "new@3");
}

TEST_CASE("of a line with a changed word only that is left to read") {
  const cv::Mat before = four_words();
  cv::Mat now = four_words();
  letters(now, 70, 90, 0);
  const auto part = renewal_of(four(90, 90, 90, 90), {before, kLine}, {now, kLine});
  REQUIRE(part);
  CHECK(part->part.first == 1);
  CHECK(part->part.last == 2);
  CHECK(part->part.columns == cv::Range(54, 114));
  CHECK(text_of(part->words) == "one@0 two@61 three@118 four@160");
}

TEST_CASE("what stands right of a longer word moves with it") {
  const cv::Mat before = four_words();
  cv::Mat now = cv::Mat::zeros(before.size(), CV_8UC1);
  letters(now, 0, 50);
  letters(now, 60, 130);
  letters(now, 140, 170);
  letters(now, 180, 220);
  // Its letters reach a row lower, too.
  const cv::Rect longer(kLine.x, kLine.y - 1, 220, kRows + 2);
  const auto part = renewal_of(four(90, 90, 90, 90), {before, kLine}, {now, longer});
  REQUIRE(part);
  CHECK(part->part.columns == cv::Range(54, 134));
  CHECK(text_of(part->words) == "one@0 two@61 three@138 four@180");
  CHECK(part->words[3].box.y == 1);
}

TEST_CASE("a word that is narrower than two of its heights is read with its neighbour") {
  cv::Mat before = cv::Mat::zeros(100, 400, CV_8UC1);
  letters(before, 0, 50);
  letters(before, 60, 70);
  letters(before, 76, 200);
  cv::Mat now = before.clone();
  letters(now, 62, 64, 0);
  const std::vector<ReadWord> words = {{"one", 90, {0, 0, 50, kRows}},
                                       {"l", 90, {60, 0, 10, kRows}},
                                       {"x", 90, {76, 0, 124, kRows}}};
  const auto part = renewal_of(words, {before, kLine}, {now, kLine});
  REQUIRE(part);
  CHECK(part->part.first == 1);
  CHECK(part->part.last == 3);
}

TEST_CASE("another line, or one of which nothing stayed, is read whole") {
  const cv::Mat before = four_words();
  const std::vector<ReadWord> words = four(90, 90, 90, 90);
  cv::Mat now = four_words();
  letters(now, 0, 4, 0);
  letters(now, 190, 200, 0);
  CHECK_FALSE(renewal_of(words, {before, kLine}, {now, kLine}));
  const cv::Rect below(kLine.x, kLine.y + kRows + 4, kLine.width, kRows);
  CHECK_FALSE(renewal_of(words, {before, kLine}, {before, below}));
  const cv::Rect beside(kLine.x + kLine.width, kLine.y, 100, kRows);
  CHECK_FALSE(renewal_of(words, {before, kLine}, {before, beside}));
  CHECK_FALSE(renewal_of({words[0]}, {before, kLine}, {now, kLine}));
  // The blank before a word went: both sides of it are read.
  cv::Mat closed = four_words();
  letters(closed, 48, 62);
  const auto part = renewal_of(words, {before, kLine}, {closed, kLine});
  REQUIRE(part);
  CHECK(part->part.first == 0);
  CHECK(part->part.last == 2);
}

}  // namespace
}  // namespace gantry::ocr_tesseract::test
