// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include <gantry/picture_text/fold.hpp>
#include <gantry/picture_text/likeness.hpp>
#include <gantry/picture_text/matching.hpp>

namespace gantry::picture_text {
namespace {

struct LikenessRow {
  const char* first;
  const char* second;
  double ratio;
};
const LikenessRow kLikeness[] = {
#include "likeness_table.inc"
};

struct FoldRow {
  const char* text;
  const char* folded;
};
const FoldRow kFolds[] = {
#include "fold_table.inc"
};

TEST_CASE("likeness has every bit of Python's") {
  for (const LikenessRow& row : kLikeness) {
    INFO(row.first << " | " << row.second);
    const std::u32string first = folded(row.first);
    CHECK(Likeness(first).with(folded(row.second)) == row.ratio);
  }
}

TEST_CASE("one text may be compared with many, long ones between short ones") {
  for (const LikenessRow& same : kLikeness) {
    const std::u32string first = folded(same.first);
    Likeness likeness(first);
    for (const LikenessRow& row : {kLikeness[3], kLikeness[130], kLikeness[5]}) {
      (void)likeness.with(folded(row.second));
    }
    CHECK(likeness.with(folded(same.second)) == same.ratio);
  }
}

TEST_CASE("texts are folded as Python folds them") {
  for (const FoldRow& row : kFolds) {
    INFO(row.text);
    CHECK(utf8_of(folded(row.text)) == row.folded);
  }
}

TEST_CASE("every character becomes lower case as in Python") {
  std::string all;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    all += utf8_of(folded(utf8_of({U'a', c, U'b'})));
  }
  CHECK(short_sha1(all) == "7f240939972a");
}

TEST_CASE("broken UTF-8 counts as replacement characters and ends") {
  CHECK(folded("a\xff\xc3").size() == 3);
  CHECK(stripped("\x80 ") == "\x80");
  CHECK(stripped(" \xe2\x80") == "\xe2\x80");
}

PictureTextRows rows_like(std::initializer_list<const char*> texts) {
  PictureTextRows out;
  std::int32_t y = 0;
  for (const char* text : texts) out.rows.push_back({text, 0.9, {10, y += 20, 31, 15}});
  return out;
}

TEST_CASE("a candidate's id depends on picture, place, text and box, and on nothing else") {
  const auto id = [](const PictureTextRows& read, const char* source) {
    return rows_of(read, source).back().candidate_id;
  };
  const std::string first = id(rows_like({"Save"}), "shot.png");
  // sha1("shot.png|0|save|10|20|31|15")
  CHECK(first == "ocr_" + short_sha1("shot.png|0|save|10|20|31|15"));
  CHECK(id(rows_like({" SAVE "}), "shot.png") == first);
  CHECK(id(rows_like({"Save"}), "other.png") != first);
  CHECK(id(rows_like({"Saved"}), "shot.png") != first);
  CHECK(id(rows_like({"x", "Save"}), "shot.png") != first);
}

TEST_CASE("rows are ranked by their scores, and equal ones stay in order") {
  const auto all = ranked(rows_of(rows_like({"zzz", "Save", "save", "Save as"}), "s"), "save");
  REQUIRE(all.size() == 4);
  CHECK(all[0].id == "1");
  CHECK(all[1].id == "2");
  CHECK(all[2].id == "3");
  CHECK(all[3].score == 0.0);
  CHECK(accepted(all, 1.0) == 2);
  CHECK(accepted(all, *all[2].score) == 3);  // inclusive
  CHECK(accepted(all, 0) == 4);
  CHECK(first_of(all, 100).size() == 4);
}

TEST_CASE("one row that reaches the threshold is meant, and no other number of them") {
  const auto why = [](std::initializer_list<const char*> texts, const char* query) {
    return unresolved(ranked(rows_of(rows_like(texts), "s"), query), query, 0.8);
  };
  CHECK_FALSE(why({"Save", "Open"}, "save"));
  CHECK(why({}, "save")->detail == R"({"message":"OCR results are empty"})");
  CHECK(why({"Open"}, "save")->status == 404);
  CHECK(why({"Save", "Saved"}, "save")->status == 409);  // even if one is perfect
  const std::string many = why({"a", "a", "a", "a", "a", "a", "a", "a", "a", "a"}, "a")->detail;
  std::size_t offered = 0;
  for (std::size_t at = 0; (at = many.find("candidate_id\":", at)) != std::string::npos; ++at) {
    ++offered;
  }
  CHECK(offered == 8);
}

}  // namespace
}  // namespace gantry::picture_text
