// SPDX-License-Identifier: Apache-2.0
// From scores to words: the list of characters, repetitions, blanks.
#include <catch2/catch.hpp>
#include <limits>

#include "ctc.hpp"

namespace gantry::ocr_ppocr::test {
namespace {

const std::vector<std::string> kKeys{"", "a", "b", "c", " "};

/// Scores of columns that are this class each: '.' none, '_' the blank.
std::vector<float> columns(const std::string& classes, float score = 0.9F) {
  std::vector<float> out;
  for (const char c : classes) {
    const std::size_t key = c == '.' ? 0 : c == '_' ? 4 : static_cast<std::size_t>(c - 'a' + 1);
    for (std::size_t i = 0; i < kKeys.size(); ++i) out.push_back(i == key ? score : 0.01F);
  }
  return out;
}

std::string text_of(const std::vector<Character>& characters) {
  std::string out;
  for (const Character& one : characters) out += one.text;
  return out;
}

TEST_CASE("the best class of each column counts, and repetitions are one") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", ""},      {"....", ""},          {"abc", "abc"},   {"aaabbb", "ab"},
      {"a.a", "aa"}, {".a..bb..c.", "abc"}, {"aa_bb", "a b"}, {"__", " "},
  };
  for (const auto& [classes, text] : rows) CHECK(text_of(decode(columns(classes), kKeys)) == text);
  const auto wide = decode(columns(".aaa."), kKeys);
  REQUIRE(wide.size() == 1);
  CHECK(wide[0].at == Approx(2.5));
  CHECK(wide[0].confidence == Approx(0.9));
  // Numbers that are none, and a row that is cut off.
  std::vector<float> broken(7, std::numeric_limits<float>::quiet_NaN());
  CHECK(decode(broken, kKeys).empty());
}

TEST_CASE("words are told apart by blanks and by wide gaps in the ink") {
  cv::Mat ink = cv::Mat::zeros(12, 80, CV_8UC1);
  const auto letter = [&](int column) { ink(cv::Rect(column * 8 + 1, 2, 6, 8)).setTo(255); };
  for (const int column : {0, 1, 2, 5, 6, 8}) letter(column);
  const auto read = [&](const std::string& classes) {
    std::string out;
    for (const auto& word : words_of(decode(columns(classes), kKeys), ink, 8)) {
      out += (out.empty() ? "" : "|") + word.text;
    }
    return out;
  };
  CHECK(read("abc__ab.c.") == "abc|ab|c");  // 10 pixels are a gap
  CHECK(read("abc..ab.c.") == "abc|ab|c");  // also where the network saw no blank
  CHECK(read("ab....") == "ab");

  const auto words = words_of(decode(columns("abc__ab..."), kKeys), ink, 8);
  REQUIRE(words.size() == 2);
  CHECK(words[0].box.x == 0);
  CHECK(words[1].box.x >= 32);
  CHECK(words[1].box.br().x <= 64);
  CHECK(words[0].confidence == Approx(90));
  CHECK(words_of(decode(columns("abc", 0.4F), kKeys), ink, 8).empty());  // not text
  CHECK(words_of({}, ink, 8).empty());
  CHECK(words_of(decode(columns("____"), kKeys), ink, 8).empty());
}

TEST_CASE("the list of characters: full-width forms are plain, mistakes are refused") {
  const auto keys = read_keys("a\n\xEF\xBC\xA1\n\xE3\x80\x80\n\xC3\xA9\r\n\xE4\xB8\xAD");
  REQUIRE(keys.ok());
  CHECK(*keys == std::vector<std::string>{"", "a", "A", " ", "\xC3\xA9", "\xE4\xB8\xAD", " "});
  for (const std::string wrong :
       {"", "\n", "a\n\nb", "ab\n", "\xC3\n", "\xA9\n", "\xC3\xA9\xA9\n", "\xF0\x9F\x98\n"}) {
    const auto refused = read_keys(wrong);
    INFO(wrong);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::DataLoss);
  }
  std::string endless;
  for (int i = 0; i < 100'002; ++i) endless += "a\n";
  CHECK_FALSE(read_keys(endless).ok());
}

}  // namespace
}  // namespace gantry::ocr_ppocr::test
