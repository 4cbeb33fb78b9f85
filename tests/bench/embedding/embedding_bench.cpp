// SPDX-License-Identifier: Apache-2.0
//
// How good the word vectors are, beside spelling alone, and how fast: embedding_bench [TABLE]
// [PAIRS]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lsa_embedder.hpp"
#include "pairs.hpp"

namespace {

using namespace gantry;

void print(const char* name, const bench::Scores& scores) {
  for (const auto& [half, score] : {std::pair{"seen", scores.seen}, {"frozen", scores.frozen}}) {
    fmt::print("{:<16} {:<7} top-1 {:2}/{}  top-3 {:2}/{}  MRR {:.2f}\n", name, half, score.first,
               score.pairs, score.third, score.pairs, score.mean());
  }
  fmt::print("{:<16} mean cosine of pairs {:.2f}, of others {:.2f}\n", name, scores.same,
             scores.other);
}

/// Only the numbers of how words are spelt.
std::vector<float> spelling(const embed_local::Table& table, const std::string& text) {
  const std::vector<float> all = embed_local::lsa_embedding(table, text);
  return {all.end() - static_cast<std::ptrdiff_t>(embed_local::kSpellingDimensions), all.end()};
}

void time(const embed_local::Table& table, const bench::Pairs& pairs) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::size_t texts = 0;
  float sum = 0;
  while (Clock::now() - begin < std::chrono::seconds(1)) {
    for (const auto& [a, b] : pairs) {
      sum += embed_local::lsa_embedding(table, a).front();
      sum += embed_local::lsa_embedding(table, b).front();
      texts += 2;
    }
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  fmt::print("{:.0f} short texts/s on one thread (wanted: 5000; {:.1f})\n",
             static_cast<double>(texts) / took.count(), static_cast<double>(sum));
}

int run(const std::string& file, const std::string& pairs_file) {
  const auto table = embed_local::Table::open(file);
  if (!table.ok()) {
    fmt::print(stderr, "embedding_bench: {}\n", table.error().message);
    return 1;
  }
  const bench::Pairs pairs = bench::read_pairs(pairs_file);
  fmt::print("{} pairs, {} words, {} dimensions\n", pairs.size(), table->entries(),
             table->dimensions() + embed_local::kSpellingDimensions);
  print("local-lsa", bench::score(pairs, [&](const std::string& text) {
          return embed_local::lsa_embedding(*table, text);
        }));
  print("spelling alone",
        bench::score(pairs, [&](const std::string& text) { return spelling(*table, text); }));
  time(*table, pairs);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> given(argv + 1, argv + argc);
  try {
    return run(given.empty() ? GANTRY_EMBEDDING_TABLE : given[0],
               given.size() < 2 ? GANTRY_EMBEDDING_PAIRS : given[1]);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "embedding_bench: {}\n", failure.what());
    return 1;
  }
}
