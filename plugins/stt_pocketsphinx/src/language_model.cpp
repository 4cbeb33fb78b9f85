// SPDX-License-Identifier: Apache-2.0
#include "language_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gantry::stt_pocketsphinx {
namespace {

constexpr double kDiscount = 0.5;  // of every count
constexpr double kNever = -99;     // log10, as ARPA files write it
constexpr double kLeastLeft = 1e-6;

}  // namespace

LanguageModel::Id LanguageModel::id_of(const std::string& word) {
  const auto [found, fresh] = ids_.emplace(word, static_cast<Id>(names_.size()));
  if (fresh) names_.push_back(word);
  return found->second;
}

void LanguageModel::add(const std::vector<std::string>& words, double weight) {
  if (words.empty()) return;
  ++sentences_;
  std::vector<Id> ids{0};
  for (const std::string& word : words) ids.push_back(id_of(word));
  ids.push_back(1);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) counts_[0][{ids[i], -1, -1}] += weight;
    if (i > 0) counts_[1][{ids[i - 1], ids[i], -1}] += weight;
    if (i > 1) counts_[2][{ids[i - 2], ids[i - 1], ids[i]}] += weight;
  }
}

std::vector<std::string> LanguageModel::words() const { return {names_.begin() + 2, names_.end()}; }

void LanguageModel::unigrams(Rows& rows) const {
  double total = 0;
  for (const auto& [gram, count] : counts_[0]) total += count;
  const double kinds = static_cast<double>(counts_[0].size());
  for (const auto& [gram, count] : counts_[0]) {
    const double p = (std::max(count - kDiscount, 0.0) + kDiscount) / total;
    rows[gram].log_p = std::log10(std::max(p, 1.0 / (total * kinds + 1)));
  }
  rows[{0, -1, -1}].log_p = kNever;
}

/// Rows of `order` (1: pairs, 2: triples), and with them the back-off weights of the order below.
void LanguageModel::higher(std::size_t order, std::array<Rows, 3>& rows) const {
  const Counts& counts = counts_[order];
  for (auto at = counts.begin(); at != counts.end();) {
    // The grams with the same beginning follow each other.
    const auto same = [&](const Gram& gram) {
      return std::equal(gram.begin(), gram.begin() + static_cast<std::ptrdiff_t>(order),
                        at->first.begin());
    };
    auto end = at;
    double total = 0;
    for (; end != counts.end() && same(end->first); ++end) total += end->second;
    double seen = 0;
    double seen_below = 0;
    for (auto one = at; one != end; ++one) {
      const double p = std::max(one->second - kDiscount, one->second * 0.1) / total;
      seen += p;
      rows[order][one->first].log_p = std::log10(p);
      Gram below{-1, -1, -1};
      std::copy(one->first.begin() + 1, one->first.begin() + 1 + static_cast<std::ptrdiff_t>(order),
                below.begin());
      const auto lower = rows[order - 1].find(below);
      if (lower != rows[order - 1].end()) seen_below += std::pow(10, lower->second.log_p);
    }
    Gram beginning{-1, -1, -1};
    std::copy_n(at->first.begin(), order, beginning.begin());
    const double left = std::max(1 - seen, kLeastLeft);
    rows[order - 1][beginning].backoff = std::log10(left / std::max(1 - seen_below, kLeastLeft));
    at = end;
  }
}

std::array<LanguageModel::Rows, 3> LanguageModel::estimate() const {
  std::array<Rows, 3> rows;
  unigrams(rows[0]);
  higher(1, rows);
  higher(2, rows);
  return rows;
}

double LanguageModel::log_probability(const std::vector<std::string>& before,
                                      const std::string& word) const {
  const auto rows = estimate();
  std::vector<Id> ids;
  for (std::size_t i = before.size() > 2 ? before.size() - 2 : 0; i < before.size(); ++i) {
    const auto found = ids_.find(before[i]);
    ids.push_back(found == ids_.end() ? -2 : found->second);
  }
  const auto last = ids_.find(word);
  if (last == ids_.end()) return kNever;
  double weight = 0;
  for (std::size_t skip = 0; skip <= ids.size(); ++skip) {
    Gram gram{-1, -1, -1};
    Gram context{-1, -1, -1};
    const std::size_t order = ids.size() - skip;
    std::copy(ids.begin() + static_cast<std::ptrdiff_t>(skip), ids.end(), gram.begin());
    context = gram;
    gram.at(order) = last->second;
    const auto found = rows.at(order).find(gram);
    if (found != rows.at(order).end()) return weight + found->second.log_p;
    if (order == 0) break;
    const auto below = rows.at(order - 1).find(context);
    if (below != rows.at(order - 1).end()) weight += below->second.backoff;
  }
  return kNever;
}

std::string LanguageModel::arpa() const {
  const auto rows = estimate();
  std::string out = "\\data\\\n";
  for (std::size_t order = 0; order < rows.size(); ++order) {
    out += fmt::format("ngram {}={}\n", order + 1, rows.at(order).size());
  }
  for (std::size_t order = 0; order < rows.size(); ++order) {
    out += fmt::format("\n\\{}-grams:\n", order + 1);
    for (const auto& [gram, row] : rows.at(order)) {
      fmt::format_to(std::back_inserter(out), "{:.4f}", row.log_p);
      for (std::size_t i = 0; i <= order; ++i) {
        out += i == 0 ? '\t' : ' ';
        out += names_[static_cast<std::size_t>(gram.at(i))];
      }
      if (order < 2) fmt::format_to(std::back_inserter(out), "\t{:.4f}", row.backoff);
      out += '\n';
    }
  }
  out += "\n\\end\\\n";
  return out;
}

}  // namespace gantry::stt_pocketsphinx
