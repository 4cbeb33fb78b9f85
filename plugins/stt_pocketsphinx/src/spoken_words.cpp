// SPDX-License-Identifier: Apache-2.0
#include "spoken_words.hpp"

#include <gantry/utf8.hpp>

#include <array>
#include <cstdint>
#include <utility>

namespace gantry::stt_pocketsphinx {
namespace {

constexpr std::size_t kMostWords = 12;
constexpr std::size_t kLongestWord = 24;
constexpr std::size_t kLongestNumber = 4;  // digits; longer ones are said digit by digit

constexpr std::array<const char*, 20> kOnes{
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<const char*, 10> kTens{"",      "",      "twenty",  "thirty", "forty",
                                            "fifty", "sixty", "seventy", "eighty", "ninety"};

bool is_lower(char32_t c) { return c >= U'a' && c <= U'z'; }
bool is_upper(char32_t c) { return c >= U'A' && c <= U'Z'; }
bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

/// Letters of Latin-1 without their marks; 0 for what is no letter there.
char32_t plain(char32_t c) {
  constexpr std::string_view kFolded =
      "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty";
  if (c < 0xC0 || c > 0xFF || kFolded[c - 0xC0] == ' ') return 0;
  return static_cast<char32_t>(kFolded[c - 0xC0]);
}

/// Takes the first character off `text`; what is no UTF-8 counts as a blank.
char32_t next_character(std::string_view& text) {
  const std::size_t length = codec::utf8_length(text);
  const auto lead = static_cast<std::uint8_t>(text[0]);
  char32_t out = U' ';
  if (length == 1) out = lead;
  if (length > 1) out = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    out = (out << 6U) | (static_cast<std::uint8_t>(text[i]) & 0x3FU);
  }
  text.remove_prefix(length == 0 ? 1 : length);
  return out;
}

/// Collects words, one character after the other.
class Splitter {
 public:
  void take(char32_t c) {
    if (is_lower(c) || is_upper(c)) return letter(c);
    if (is_digit(c)) return digit(static_cast<char>(c));
    if ((c == U'\'' || c == 0x2019) && !word_.empty()) {
      word_ += '\'';
      return;
    }
    if (const char32_t folded = plain(c); folded != 0) return letter(folded);
    if (c >= 0x100 && !(c >= 0x2000 && c <= 0x2BFF)) {  // not signs, arrows and dashes
      foreign_ = true;
      return;
    }
    if (c == U'&') {
      end();
      add("and");
      return;
    }
    end();
  }

  SpokenPhrase finish() {
    end();
    return std::move(out_);
  }

 private:
  void letter(char32_t c) {
    if (!digits_.empty()) end();
    // "MouseWheel" are two words, and "GIMP" is one.
    if (is_upper(c) && last_lower_) end();
    last_lower_ = is_lower(c);
    word_ += static_cast<char>(is_upper(c) ? c - U'A' + U'a' : c);
  }
  void digit(char c) {
    if (!word_.empty()) end();
    digits_ += c;
  }
  void end() {
    last_lower_ = false;
    while (!word_.empty() && word_.back() == '\'') word_.pop_back();
    if (foreign_ || word_.size() > kLongestWord) {
      ++out_.skipped;
    } else if (!word_.empty()) {
      add(word_);
    }
    if (!digits_.empty()) number();
    word_.clear();
    digits_.clear();
    foreign_ = false;
  }
  void number() {
    if (digits_.size() <= kLongestNumber && (digits_.front() != '0' || digits_.size() == 1)) {
      for (auto& word : number_words(static_cast<unsigned>(std::stoul(digits_)))) add(word);
      return;
    }
    for (const char c : digits_) add(kOnes[static_cast<std::size_t>(c - '0')]);
  }
  void add(std::string word) {
    if (out_.words.size() < kMostWords) out_.words.push_back(std::move(word));
  }

  SpokenPhrase out_;
  std::string word_;
  std::string digits_;
  bool last_lower_ = false;
  bool foreign_ = false;
};

}  // namespace

SpokenPhrase spoken(std::string_view written) {
  Splitter splitter;
  while (!written.empty()) splitter.take(next_character(written));
  return splitter.finish();
}

std::vector<std::string> number_words(unsigned number) {
  std::vector<std::string> out;
  const auto add = [&out](std::vector<std::string> more) {
    out.insert(out.end(), more.begin(), more.end());
  };
  if (number >= 1000) {
    add(number_words(number / 1000));
    out.emplace_back("thousand");
    if (number % 1000 != 0) add(number_words(number % 1000));
  } else if (number >= 100) {
    out.emplace_back(kOnes[number / 100]);
    out.emplace_back("hundred");
    if (number % 100 != 0) add(number_words(number % 100));
  } else if (number >= kOnes.size()) {
    out.emplace_back(kTens[number / 10]);
    if (number % 10 != 0) out.emplace_back(kOnes[number % 10]);
  } else {
    out.emplace_back(kOnes[number]);
  }
  return out;
}

}  // namespace gantry::stt_pocketsphinx
