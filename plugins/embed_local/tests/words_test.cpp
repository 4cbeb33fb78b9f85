// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace gantry::embed_local {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("a text becomes words") {
  const std::pair<const char*, Words> cases[] = {
      {"", {}},
      {" \t\n", {}},
      {"Hello, World!", {"hello", "world"}},
      {"the dog's bone", {"the", "dog", "bone"}},
      {"dogs' bones", {"dogs", "bones"}},
      {"I don't and can't and won't",
       {"i", "do", "not", "and", "can", "not", "and", "will", "not"}},
      {"it’s", {"it"}},
      {"'quoted'", {"quoted"}},
      {"e-mail x_y 3.14", {"e", "mail", "x", "y", "3", "14"}},
      {"Crème BRÛLÉE naïve", {"creme", "brulee", "naive"}},
      {"Cre\xCC\x80me", {"creme"}},  // a mark of its own
      {"ΑΒΓ ДОМ", {"αβγ", "дом"}},
      {"日本語", {"日", "本", "語"}},
      {"a\xFF\xFE\x80z", {"a", "z"}},  // no UTF-8
      {"\xED\xA0\x80", {}},            // half of a surrogate pair
      {"🙂 ok 🙂", {"ok"}},
  };
  for (const auto& [text, words] : cases) {
    INFO(text);
    CHECK(words_of(text) == words);
  }
}

TEST_CASE("inflections lead to what they may be of") {
  const std::pair<const char*, const char*> cases[] = {
      {"stories", "story"},  {"boxes", "box"},     {"churches", "church"},   {"dogs", "dog"},
      {"running", "run"},    {"making", "make"},   {"walked", "walk"},       {"loved", "love"},
      {"stopped", "stop"},   {"studied", "study"}, {"bigger", "big"},        {"nicest", "nice"},
      {"happiest", "happy"}, {"quickly", "quick"}, {"happily", "happy"},     {"happiness", "happy"},
      {"sadness", "sad"},    {"wolves", "wolf"},   {"knives", "knife"},      {"firemen", "fireman"},
      {"dying", "die"},      {"payment", "pay"},   {"possibly", "possible"},
  };
  for (const auto& [word, base] : cases) {
    INFO(word);
    const Words forms = base_forms(word);
    CHECK(std::find(forms.begin(), forms.end(), base) != forms.end());
  }
  CHECK(base_forms("glass").empty());
  CHECK(base_forms("").empty());
  CHECK(base_forms("s").empty());
}

TEST_CASE("words that say nothing by themselves are known") {
  for (const char* word : {"a", "the", "with", "yourself", "he"}) CHECK(is_function_word(word));
  for (const char* word : {"", "dog", "zebra", "aa"}) CHECK_FALSE(is_function_word(word));
}

}  // namespace
}  // namespace gantry::embed_local
