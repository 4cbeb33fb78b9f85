// SPDX-License-Identifier: Apache-2.0
#include "features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "words.hpp"

namespace gantry::embed_local {
namespace {

/// How much a word has of what its synset points to.
struct Share {
  std::string_view symbol;
  float weight;
};
constexpr Share kShares[] = {
    {"@", 0.5F},  {"@i", 0.5F}, {"~", 0.1F},  {"&", 0.6F},  {"+", 0.6F},
    {"$", 0.5F},  {"^", 0.4F},  {"\\", 0.6F}, {"=", 0.4F},  {"*", 0.4F},
    {">", 0.4F},  {"!", 0.2F},  {"#m", 0.2F}, {"#p", 0.2F}, {"#s", 0.2F},
    {"%m", 0.1F}, {"%p", 0.1F}, {"%s", 0.1F}, {";c", 0.3F}, {"-c", 0.05F},
};
constexpr float kSecondHypernym = 0.25F;
constexpr float kGlossWord = 0.3F;  // all words of a gloss together count kGlossWord * sqrt(number)
constexpr float kInGloss = 0.15F;   // of the synset whose gloss has the word
constexpr std::size_t kLongestWord = 40;
constexpr std::ptrdiff_t kLongestPhrase = 3;
constexpr float kSmoothing = 0.75F;  // of column frequencies

using Row = std::unordered_map<std::uint32_t, float>;

float share_of(std::string_view symbol) {
  for (const Share& share : kShares) {
    if (share.symbol == symbol) return share.weight;
  }
  return 0;
}

/// Words of a gloss that say something, in their base form.
std::vector<std::string> gloss_words(const WordNet& net, const Synset& synset) {
  std::vector<std::string> out;
  for (const std::string& word : words_of(synset.gloss)) {
    if (word.size() < 2 || is_function_word(word)) continue;
    std::string lemma = lemma_of(net, word);
    if (!lemma.empty() && !is_function_word(lemma)) out.push_back(std::move(lemma));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Single words, and phrases of at most three words that are no names.
bool is_wanted(const WordNet& net, const std::string& word) {
  const auto parts = std::count(word.begin(), word.end(), '_') + 1;
  if (word.size() > kLongestWord || parts > kLongestPhrase) return false;
  if (parts > 1 && !net.plain.contains(word)) return false;
  return std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class Builder {
 public:
  explicit Builder(const WordNet& net) : net_(net) {
    for (const auto& [word, senses] : net.senses) {
      if (!is_wanted(net, word)) continue;
      ids_.emplace(word, static_cast<std::uint32_t>(words_.size()));
      words_.push_back(word);
    }
    rows_.resize(words_.size());
    describe_synsets();
    for (std::size_t row = 0; row < words_.size(); ++row) add_senses(row);
  }

  Features finish() {
    Features features;
    features.words = std::move(words_);
    features.matrix = associations();
    return features;
  }

 private:
  [[nodiscard]] std::uint32_t gloss_column(std::uint32_t word) const {
    return static_cast<std::uint32_t>(net_.synsets.size()) + word;
  }

  /// The columns of a synset: itself, what it points to, the words of its gloss.
  void describe_synsets() {
    synsets_.resize(net_.synsets.size());
    for (std::uint32_t id = 0; id < net_.synsets.size(); ++id) {
      const Synset& synset = net_.synsets[id];
      std::vector<Cell>& cells = synsets_[id];
      cells.push_back({id, 1});
      for (const Pointer& pointer : synset.pointers) {
        const float share = share_of(pointer.symbol);
        if (share > 0) cells.push_back({pointer.target, share});
        if (pointer.symbol != "@") continue;
        for (const Pointer& further : net_.synsets[pointer.target].pointers) {
          if (further.symbol == "@") cells.push_back({further.target, kSecondHypernym});
        }
      }
      add_gloss(id, synset, cells);
    }
  }

  void add_gloss(std::uint32_t id, const Synset& synset, std::vector<Cell>& cells) {
    const std::vector<std::string> words = gloss_words(net_, synset);
    for (const std::string& word : words) {
      const auto found = ids_.find(word);
      if (found == ids_.end()) continue;
      cells.push_back({gloss_column(found->second), kGlossWord});
      rows_[found->second][id] += kInGloss;
    }
    for (const std::string& word : synset.words) {  // a word tells of those it shares a synset with
      const auto found = ids_.find(word);
      if (found != ids_.end()) cells.push_back({gloss_column(found->second), kGlossWord});
    }
  }

  void add_senses(std::size_t row) {
    const std::vector<Sense>& senses = net_.senses.find(words_[row])->second;
    float all = 0;
    std::vector<float> parts;
    for (std::size_t i = 0; i < senses.size(); ++i) {
      parts.push_back(static_cast<float>(senses[i].count) + 1.0F / static_cast<float>(i + 1));
      all += parts.back();
    }
    for (std::size_t i = 0; i < senses.size(); ++i) {
      // A rare sense still counts a little.
      const float part = std::sqrt(parts[i] / all);
      for (const Cell& cell : synsets_[senses[i].synset]) {
        rows_[row][cell.column] += part * cell.value;
      }
    }
  }

  Sparse associations() {
    Sparse out;
    out.columns = net_.synsets.size() + rows_.size();
    std::vector<double> sums(out.columns, 0);
    double all = 0;
    for (const Row& row : rows_) {
      for (const auto& [column, value] : row) sums[column] += static_cast<double>(value);
    }
    for (double& sum : sums) all += sum = std::pow(sum, static_cast<double>(kSmoothing));
    for (Row& row : rows_) {
      double total = 0;
      for (const auto& [column, value] : row) total += static_cast<double>(value);
      const std::size_t begin = out.cells.size();
      for (const auto& [column, value] : row) {
        const double ratio = static_cast<double>(value) * all / (total * sums[column]);
        if (ratio > 1) out.cells.push_back({column, static_cast<float>(std::log(ratio))});
      }
      std::sort(out.cells.begin() + static_cast<std::ptrdiff_t>(begin), out.cells.end(),
                [](const Cell& a, const Cell& b) { return a.column < b.column; });
      out.begins.push_back(out.cells.size());
      row = {};
    }
    return out;
  }

  const WordNet& net_;
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::vector<Cell>> synsets_;
  std::vector<Row> rows_;
};

}  // namespace

std::string lemma_of(const WordNet& net, const std::string& word) {
  if (net.senses.contains(word)) return word;
  const auto exception = net.exceptions.find(word);
  if (exception != net.exceptions.end()) return exception->second;
  for (std::string& form : base_forms(word)) {
    if (net.senses.contains(form)) return std::move(form);
  }
  return {};
}

std::unordered_map<std::string, float> word_probabilities(const WordNet& net) {
  std::unordered_map<std::string, float> counts;
  float all = 0;
  for (const Synset& synset : net.synsets) {
    for (const std::string& word : words_of(synset.gloss)) {
      const std::string lemma = lemma_of(net, word);
      counts[lemma.empty() ? word : lemma] += 1;
      all += 1;
    }
  }
  for (auto& [word, count] : counts) count /= all;
  return counts;
}

Features features_of(const WordNet& net) { return Builder(net).finish(); }

}  // namespace gantry::embed_local
