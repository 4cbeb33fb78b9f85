// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include "code_points.hpp"

namespace gantry::embed_local {
namespace {

constexpr std::size_t kShortestForm = 2;

/// An ending, what takes its place, and whether a doubled consonant before it may be single.
struct Suffix {
  std::string_view ending, instead;
  bool doubled = false;
};

constexpr Suffix kSuffixes[] = {
    {"ies", "y"},     {"ves", "f"},  {"ves", "fe"},    {"men", "man"},    {"ses", "s"},
    {"xes", "x"},     {"zes", "z"},  {"ches", "ch"},   {"shes", "sh"},    {"s", ""},
    {"ied", "y"},     {"ed", "e"},   {"ed", "", true}, {"ying", "ie"},    {"ing", "", true},
    {"ing", "e"},     {"iest", "y"}, {"ier", "y"},     {"est", "", true}, {"est", "e"},
    {"er", "", true}, {"er", "e"},   {"ily", "y"},     {"ly", ""},        {"ly", "le"},
    {"iness", "y"},   {"ness", ""},  {"ment", ""},
};

constexpr std::string_view kFunctionWords[] = {
    "a",       "about",   "above",   "after",   "again", "all",     "also",     "although",
    "am",      "an",      "and",     "another", "any",   "are",     "as",       "at",
    "be",      "because", "been",    "before",  "being", "between", "both",     "but",
    "by",      "can",     "could",   "did",     "do",    "does",    "doing",    "done",
    "during",  "each",    "either",  "for",     "from",  "had",     "has",      "have",
    "having",  "he",      "her",     "here",    "hers",  "herself", "him",      "himself",
    "his",     "how",     "i",       "if",      "in",    "into",    "is",       "it",
    "its",     "itself",  "just",    "may",     "me",    "might",   "mine",     "must",
    "my",      "myself",  "neither", "no",      "nor",   "not",     "of",       "off",
    "on",      "onto",    "or",      "other",   "our",   "ours",    "out",      "over",
    "own",     "please",  "prior",   "shall",   "she",   "should",  "since",    "so",
    "some",    "such",    "than",    "that",    "the",   "their",   "theirs",   "them",
    "then",    "there",   "these",   "they",    "this",  "those",   "though",   "through",
    "to",      "too",     "under",   "until",   "up",    "upon",    "us",       "very",
    "was",     "we",      "were",    "what",    "when",  "where",   "whether",  "which",
    "while",   "who",     "whom",    "whose",   "why",   "will",    "with",     "within",
    "without", "would",   "yet",     "you",     "your",  "yours",   "yourself",
};

constexpr bool sorted(const auto& words) {
  return std::is_sorted(std::begin(words), std::end(words));
}
static_assert(sorted(kFunctionWords));

/// A word without what stands behind its apostrophe; "n't" becomes a word of its own.
void add_word(std::string word, std::vector<std::string>& words) {
  const std::size_t mark = word.find('\'');
  if (mark == std::string::npos) {
    if (!word.empty()) words.push_back(std::move(word));
    return;
  }
  const bool negated = mark > 1 && word.substr(mark - 1) == "n't";
  word.resize(negated ? mark - 1 : mark);
  if (word == "ca") word = "can";
  if (word == "wo") word = "will";
  if (!word.empty()) words.push_back(std::move(word));
  if (negated) words.emplace_back("not");
}

void add_form(std::string form, std::vector<std::string>& forms) {
  if (form.size() < kShortestForm) return;
  if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(std::move(form));
}

bool is_vowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] { add_word(std::exchange(word, {}), words); };
  for_each_code_point(text, [&](char32_t c) {
    if ((c == U'\'' || c == 0x2019) && !word.empty()) {
      word += '\'';
    } else if (is_combining(c)) {
      return;
    } else if (is_letter_or_digit(c)) {
      append_folded(c, word);
      if (is_cjk(c)) end_word();
    } else {
      end_word();
    }
  });
  end_word();
  return words;
}

std::vector<std::string> base_forms(std::string_view word) {
  std::vector<std::string> forms;
  for (const Suffix& suffix : kSuffixes) {
    if (!word.ends_with(suffix.ending)) continue;
    if (suffix.ending == "s" && word.ends_with("ss")) continue;
    std::string stem(word.substr(0, word.size() - suffix.ending.size()));
    if (stem.empty()) continue;
    const std::size_t last = stem.size() - 1;
    const bool twin = last > 1 && stem[last] == stem[last - 1] && !is_vowel(stem[last]);
    if (suffix.doubled && twin) add_form(stem.substr(0, last), forms);
    add_form(stem + std::string(suffix.instead), forms);
  }
  return forms;
}

bool is_function_word(std::string_view word) {
  return std::binary_search(std::begin(kFunctionWords), std::end(kFunctionWords), word);
}

}  // namespace gantry::embed_local
