// SPDX-License-Identifier: Apache-2.0
#include "lsa_embedder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "words.hpp"

namespace gantry::embed_local {
namespace {

constexpr float kRare = 1e-3F;             // `a` of a / (a + p)
constexpr float kFunctionWord = 2e-2F;     // the least p of words that say nothing by themselves
constexpr float kUnknown = 1e-5F;          // p of words that the table does not have
constexpr float kSpellingShare = 0.2F;     // of the squared length
constexpr std::size_t kLongestPhrase = 3;  // words
constexpr std::size_t kGram = 3;

float weight_of(float probability, std::string_view word) {
  if (is_function_word(word)) probability = std::max(probability, kFunctionWord);
  return kRare / (kRare + probability);
}

/// The word, or what it is an inflection of.
std::optional<Word> find_word(const Table& table, const std::string& word) {
  if (const auto found = table.find(word)) return found;
  for (const std::string& form : base_forms(word)) {
    if (const auto found = table.find(form)) return found;
  }
  return std::nullopt;
}

std::string joined(std::span<const std::string> words) {
  std::string phrase = words.front();
  for (const std::string& word : words.subspan(1)) phrase += '_' + word;
  return phrase;
}

/// A phrase as it stands, or with the base of its first word (verbs) or last one (nouns).
std::optional<Word> find_phrase(const Table& table, std::span<const std::string> words) {
  const std::string phrase = joined(words);
  if (const auto found = table.find(phrase)) return found;
  const std::string rest = phrase.substr(words.front().size());
  for (const std::string& form : base_forms(words.front())) {
    if (const auto found = table.find(form + rest)) return found;
  }
  const std::string begin = phrase.substr(0, phrase.size() - words.back().size());
  for (const std::string& form : base_forms(words.back())) {
    if (const auto found = table.find(begin + form)) return found;
  }
  return std::nullopt;
}

void add(const Word& word, float weight, std::span<float> sum) {
  const float factor = weight * word.scale;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += factor * static_cast<float>(word.vector[i]);
  }
}

float length_of(std::span<const float> vector) {
  return std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0F));
}

/// Whether there was anything to bring to that length.
bool set_length(std::span<float> vector, float wanted) {
  const float length = length_of(vector);
  if (!(length > 1e-12F)) {
    std::fill(vector.begin(), vector.end(), 0.0F);
    return false;
  }
  for (float& value : vector) value *= wanted / length;
  return true;
}

std::uint32_t hash_of(std::string_view gram) {
  std::uint32_t hash = 2166136261U;
  for (const char c : gram) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  hash ^= hash >> 15U;
  hash *= 0x2c1b3c6dU;
  return hash ^ (hash >> 12U);
}

/// Adds the pieces of three letters of one word, with its ends marked.
void add_spelling(const std::string& word, float weight, std::span<float> sum) {
  const std::string marked = '<' + word + '>';
  const std::size_t grams = marked.size() < kGram ? 1 : marked.size() - kGram + 1;
  const float share = weight / std::sqrt(static_cast<float>(grams));
  for (std::size_t i = 0; i < grams; ++i) {
    const std::uint32_t hash = hash_of(std::string_view(marked).substr(i, kGram));
    sum[(hash >> 1U) % sum.size()] += (hash & 1U) != 0 ? share : -share;
  }
}

/// Words of the text from `at` on that are one entry; 0: not even the first one is.
std::size_t add_longest(const Table& table, const std::vector<std::string>& words, std::size_t at,
                        std::span<float> sum) {
  const std::size_t most = std::min(kLongestPhrase, words.size() - at);
  for (std::size_t count = most; count > 1; --count) {
    const auto found = find_phrase(table, {words.data() + at, count});
    if (!found) continue;
    add(*found, weight_of(found->probability, {}), sum);
    return count;
  }
  const auto found = find_word(table, words[at]);
  if (found) add(*found, weight_of(found->probability, words[at]), sum);
  return found ? 1 : 0;
}

std::vector<float> mean_of(const Table& table, const std::vector<std::string>& words) {
  std::vector<float> sum(table.dimensions());
  for (std::size_t at = 0; at < words.size();) {
    at += std::max<std::size_t>(1, add_longest(table, words, at, sum));
  }
  set_length(sum, 1);
  return sum;
}

void remove_direction(std::span<float> vector, std::span<const float> direction) {
  const float along = std::inner_product(vector.begin(), vector.end(), direction.begin(), 0.0F);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= along * direction[i];
}

}  // namespace

std::vector<float> mean_of_words(const Table& table, std::string_view text) {
  return mean_of(table, words_of(text));
}

std::vector<float> lsa_embedding(const Table& table, std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  std::vector<float> out = mean_of(table, words);
  remove_direction(out, table.common());
  std::vector<float> spelling(kSpellingDimensions);
  for (const std::string& word : words) {
    const auto found = table.find(word);
    add_spelling(word, weight_of(found ? found->probability : kUnknown, word), spelling);
  }
  set_length(spelling, std::sqrt(kSpellingShare));
  set_length(out, std::sqrt(1 - kSpellingShare));
  out.insert(out.end(), spelling.begin(), spelling.end());
  set_length(out, 1);  // one of the two may be nothing
  return out;
}

}  // namespace gantry::embed_local
