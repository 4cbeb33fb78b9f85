// SPDX-License-Identifier: Apache-2.0
// What BERT's published tokenizer makes of these texts, worked out by its rules.
#include "wordpiece.hpp"

#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace gantry::embed_local {
namespace {

using namespace std::string_literals;
using Words = std::vector<std::string>;

struct Case {
  const char* name;
  std::string text;
  Words words;
};

TEST_CASE("the basic tokenizer of an uncased model") {
  const Case cases[] = {
      {"nothing", "", {}},
      {"blanks", " \t\r\n\xC2\xA0\xE3\x80\x80", {}},
      {"words", "Hello World", {"hello", "world"}},
      {"many blanks", "  a \t b\n\nc ", {"a", "b", "c"}},
      {"a blank of its own kind", "a\xE2\x80\x83"s + "b", {"a", "b"}},
      {"a line separator", "a\xE2\x80\xA8"s + "b", {"a", "b"}},
      {"signs", "hello, world!", {"hello", ",", "world", "!"}},
      {"signs in a row", "wait...", {"wait", ".", ".", "."}},
      {"an apostrophe", "don't", {"don", "'", "t"}},
      {"a hyphen", "e-mail", {"e", "-", "mail"}},
      {"money", "$5.00", {"$", "5", ".", "00"}},
      {"signs of ASCII that Unicode calls symbols",
       "a+b=c^d`e|f~g<h>i",
       {"a", "+", "b", "=", "c", "^", "d", "`", "e", "|", "f", "~", "g", "<", "h", ">", "i"}},
      {"a symbol that is none", "5€", {"5€"}},
      {"quotes", "“quoted”", {"“", "quoted", "”"}},
      {"a dash", "a—b", {"a", "—", "b"}},
      {"an ellipsis", "a…", {"a", "…"}},
      {"Spanish", "¿Qué?", {"¿", "que", "?"}},
      {"accents", "Héllo Ärger naïve", {"hello", "arger", "naive"}},
      {"accents as marks", "He\xCC\x81llo", {"hello"}},
      {"sharp s stays", "Straße", {"straße"}},
      {"a crossed o stays", "Ørsted", {"ørsted"}},
      {"Polish", "Łódź", {"łodz"}},
      {"Turkish I", "İstanbul", {"istanbul"}},
      {"Vietnamese", "Tiếng Việt", {"tieng", "viet"}},
      {"Greek with a last sigma", "ΟΔΟΣ", {"οδος"}},
      {"sigma inside", "ΣΑΣ", {"σας"}},
      {"sigma alone", "Σ", {"σ"}},
      {"Cyrillic", "МОСКВА ёлка", {"москва", "елка"}},
      {"a ring sign decomposes", "\xE2\x84\xAB", {"a"}},
      {"CJK", "日本語", {"日", "本", "語"}},
      {"CJK among letters", "a中b", {"a", "中", "b"}},
      {"CJK of the second plane", "x\xF0\xA0\x80\x80y", {"x", "\xF0\xA0\x80\x80", "y"}},
      {"kana stay together", "ひらがな カタカナ", {"ひらかな", "カタカナ"}},
      {"a voiced mark is one", "が", {"か"}},
      {"CJK punctuation", "你好。", {"你", "好", "。"}},
      {"control characters go", "a\x01"s + "b\x7F"s + "c", {"abc"}},
      {"a zero goes", "a\0b"s, {"ab"}},
      {"a replacement character goes", "a\xEF\xBF\xBD"s + "b", {"ab"}},
      {"what is no UTF-8 goes", "a\xFF\xC3"s + "b", {"ab"}},
      {"a joiner goes", "a\xE2\x80\x8D"s + "b", {"ab"}},
      {"a byte order mark goes", "\xEF\xBB\xBFhi", {"hi"}},
      {"a soft hyphen goes", "co\xC2\xADop", {"coop"}},
      {"private use goes", "a\xEE\x80\x80"s + "b", {"ab"}},
      {"emoji", "ok 🙂!", {"ok", "🙂", "!"}},
      {"only a mark", "\xCC\x81", {}},
      {"an underscore", "a_b", {"a", "_", "b"}},
      {"brackets", "[CLS] (x)", {"[", "cls", "]", "(", "x", ")"}},
      {"numbers", "1,000 3.14", {"1", ",", "000", "3", ".", "14"}},
      {"Devanagari loses its marks", "हिन्दी", {"हिनदी"}},
  };
  for (const Case& each : cases) {
    INFO(each.name);
    CHECK(basic_tokens(each.text, true) == each.words);
  }
}

TEST_CASE("the basic tokenizer of a cased model keeps capitals and accents") {
  CHECK(basic_tokens("Héllo, WORLD", false) == Words{"Héllo", ",", "WORLD"});
  CHECK(basic_tokens("A中B\x01", false) == Words{"A", "中", "B"});
}

constexpr const char* kVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n##a\n##b\nthe\nrun\n##ning\n##n\n##s\n,\n!\n"
    "h\n##e\n##l\n##o\nhello\nworld\n中\né\n##é\nwant\n##ed\n";

WordPiece pieces_of(bool lowercase = true) {
  auto made = WordPiece::of(kVocabulary, lowercase);
  REQUIRE(made.ok());
  return std::move(*made);
}

TEST_CASE("words are cut into the longest pieces there are") {
  const WordPiece words = pieces_of();
  const Case cases[] = {
      {"a whole word", "hello", {"hello"}},
      {"pieces", "unaffable", {"un", "##aff", "##able"}},
      {"the longest first", "running", {"run", "##ning"}},
      {"shorter ones", "runns", {"run", "##n", "##s"}},
      {"no rest fits", "runx", {"[UNK]"}},
      {"nothing fits", "xyz", {"[UNK]"}},
      {"only some words", "the xyz run", {"the", "[UNK]", "run"}},
      {"signs", "Hello, world!", {"hello", ",", "world", "!"}},
      {"by letters", "helo", {"h", "##e", "##l", "##o"}},
      {"accents are gone before", "HÉLO", {"h", "##e", "##l", "##o"}},
      {"CJK", "中中", {"中", "中"}},
      {"an unknown sign", "?", {"[UNK]"}},
      {"the name of a special piece is no piece", "[UNK]", {"[UNK]", "[UNK]", "[UNK]"}},
      {"100 letters", "un" + std::string(98, 'a'),
       [] {
         Words out(99, "##a");
         out.front() = "un";
         return out;
       }()},
      {"101 letters", "un" + std::string(99, 'a'), {"[UNK]"}},
  };
  for (const Case& each : cases) {
    INFO(each.name);
    CHECK(words.pieces(each.text) == each.words);
  }
}

TEST_CASE("letters of two bytes are one character") {
  const WordPiece words = pieces_of(false);
  CHECK(words.pieces("éé") == Words{"é", "##é"});
  std::string hundred;
  for (int i = 0; i < 100; ++i) hundred += "é";
  CHECK(words.pieces(hundred).size() == 100);
  CHECK(words.pieces(hundred + "é") == Words{"[UNK]"});
}

TEST_CASE("numbers stand between those of the begin and the end, and long texts are cut") {
  const WordPiece words = pieces_of();
  using Numbers = std::vector<std::int64_t>;
  CHECK(words.encode("", 8) == Numbers{2, 3});
  CHECK(words.encode("hello world", 8) == Numbers{2, 20, 21, 3});
  CHECK(words.encode("hello world hello", 4) == Numbers{2, 20, 21, 3});
  CHECK(words.encode("unaffable", 3) == Numbers{2, 4, 3});
  CHECK(words.padding() == 0);
}

TEST_CASE("a vocabulary must be one of BERT's") {
  CHECK(WordPiece::of("[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n", true).ok());
  for (const char* text : {"", "a\nb\n", "[PAD]\n[UNK]\n[CLS]\n", "[UNK]\n[CLS]\n[SEP]\n"}) {
    const auto made = WordPiece::of(text, true);
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == Code::InvalidArgument);
  }
  CHECK_FALSE(WordPiece::of("[PAD]\n" + std::string(5000, 'x'), true).ok());
  const auto none = WordPiece::open("/nonexistent/vocab.txt", true);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == Code::Unavailable);
}

/// Any text gives pieces of the vocabulary, which give the word again unless one is unknown, and
/// the tokens of tokens are the same tokens.
TEST_CASE("properties of any text") {
  const WordPiece words = pieces_of();
  const std::string alphabet[] = {"a",  "E",   "l",        "o",    " ",    ",",
                                  "中", "É",   "\xCC\x81", "\x01", "\xFF", "🙂",
                                  "un", "run", "'",        "Σ",    "ς",    "\xE2\x80\x8D"};
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t i = random() % 24; i > 0; --i) text += alphabet[random() % 18];
    INFO(text);
    const Words tokens = basic_tokens(text, true);
    std::string joined;
    for (const std::string& token : tokens) joined += token + ' ';
    CHECK(basic_tokens(joined, true) == tokens);
    for (const std::string& token : tokens) {
      std::string again;
      for (const std::string& piece : words.pieces(token)) {
        again += piece.starts_with("##") ? piece.substr(2) : piece;
      }
      CHECK((again == token || again == "[UNK]"));
    }
    CHECK(words.encode(text, 6).size() <= 6);
    CHECK(words.encode(text, 6).back() == 3);
  }
}

}  // namespace
}  // namespace gantry::embed_local
