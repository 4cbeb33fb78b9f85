// SPDX-License-Identifier: Apache-2.0
//
// The paraphrase set (pairs.tsv) and how well a space finds the second text of a pair by its first
// among all second ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gantry::bench {

using Pairs = std::vector<std::pair<std::string, std::string>>;

inline Pairs read_pairs(const std::string& file) {
  std::ifstream in(file);
  Pairs pairs;
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (line.starts_with('#') || tab == std::string::npos) continue;
    pairs.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  if (pairs.empty()) throw std::runtime_error("there are no pairs in " + file);
  return pairs;
}

struct Score {
  std::size_t pairs = 0, first = 0, third = 0;
  double reciprocal = 0;  // the sum; divided by pairs it is the mean reciprocal rank

  [[nodiscard]] double mean() const { return reciprocal / static_cast<double>(pairs); }
};

struct Scores {
  Score seen;    // odd rows of the file, which were looked at while the embedder was tuned
  Score frozen;  // even rows
  double same = 0, other = 0;  // mean cosine of pairs, and of all other combinations
};

/// `embed(text)` gives vectors of length 1.
template <class Embed>
Scores score(const Pairs& pairs, Embed embed) {
  std::vector<std::vector<float>> left, right;
  for (const auto& [a, b] : pairs) {
    left.push_back(embed(a));
    right.push_back(embed(b));
  }
  Scores scores;
  const auto count = static_cast<double>(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::vector<float> cosines;
    for (const auto& vector : right) {
      cosines.push_back(std::inner_product(vector.begin(), vector.end(), left[i].begin(), 0.0F));
    }
    const auto better = static_cast<std::size_t>(
        std::count_if(cosines.begin(), cosines.end(), [&](float c) { return c > cosines[i]; }));
    Score& half = i % 2 == 0 ? scores.seen : scores.frozen;
    ++half.pairs;
    half.first += better == 0 ? 1 : 0;
    half.third += better < 3 ? 1 : 0;
    half.reciprocal += 1 / static_cast<double>(better + 1);
    const double all = std::accumulate(cosines.begin(), cosines.end(), 0.0);
    const auto own = static_cast<double>(cosines[i]);
    scores.same += own / count;
    scores.other += (all - own) / (count * (count - 1));
  }
  return scores;
}

}  // namespace gantry::bench
