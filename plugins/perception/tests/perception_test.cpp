// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/contracts/ocr.hpp>

#include "rows.hpp"

namespace gantry::perception {
namespace {

OcrWord word(std::string text, double confidence, Rect bbox, std::int32_t line) {
  return {std::move(text), confidence, bbox, line};
}

TEST_CASE("the words of a line are one row") {
  const auto rows =
      rows_of({word("Search", 90, {10, 20, 60, 12}, 0), word("Amazon", 60, {75, 18, 50, 16}, 0),
               word("Go", 100, {140, 20, 20, 12}, 1)});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].text == "Search Amazon");
  CHECK(rows[0].bbox == Rect{10, 18, 115, 16});
  CHECK(rows[0].confidence == Approx(0.75));
  CHECK(rows[1].text == "Go");
  CHECK(rows[1].confidence == Approx(1.0));
}

TEST_CASE("rows keep the order in which lines begin, whatever their numbers are") {
  const auto rows = rows_of({word("b", 90, {0, 0, 9, 9}, 7), word("a", 90, {0, 20, 9, 9}, 3),
                             word("c", 90, {20, 0, 9, 9}, 7)});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].text == "b c");
  CHECK(rows[1].text == "a");
}

TEST_CASE("what has no letters is no row, and no row is smaller than a pixel") {
  CHECK(rows_of({}).empty());
  CHECK(rows_of({word(" ", 90, {0, 0, 9, 9}, 0), word("", 90, {0, 0, 9, 9}, 1)}).empty());
  const auto rows = rows_of({word("x", 500, {5, 6, 0, 0}, 0)});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].bbox == Rect{5, 6, 1, 1});
  CHECK(rows[0].confidence == 1.0);
}

}  // namespace
}  // namespace gantry::perception
