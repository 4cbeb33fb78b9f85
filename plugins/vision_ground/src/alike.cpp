// SPDX-License-Identifier: Apache-2.0
#include "alike.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace gantry::vision_ground {
namespace {

constexpr std::size_t kLongestCompared = 200;  // characters that are compared one by one
constexpr double kLeastFuzzy = 0.7;

/// With letters that look alike made one.
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '1':
      case 'i':
      case '|':
      case '!': out += 'l'; break;
      case '0': out += 'o'; break;
      case '5': out += 's'; break;
      case ' ': break;
      default: out += c;
    }
  }
  return out;
}

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, corner + (a[i] == b[j] ? 0U : 1U)});
      corner = above;
    }
  }
  return row.back();
}

/// Whether `part` stands in `whole` as words of its own.
bool has_words(std::string_view whole, std::string_view part) {
  for (std::size_t at = whole.find(part); at != std::string_view::npos;
       at = whole.find(part, at + 1)) {
    const bool begins = at == 0 || whole[at - 1] == ' ';
    const std::size_t end = at + part.size();
    if (begins && (end == whole.size() || whole[end] == ' ')) return true;
  }
  return false;
}

double ratio(std::size_t a, std::size_t b) {
  return static_cast<double>(std::min(a, b)) / static_cast<double>(std::max(a, b));
}

}  // namespace

double likeness(std::string_view wish, std::string_view text) {
  if (wish.empty() || text.empty()) return 0;
  if (wish == text) return 1;
  if (folded(wish) == folded(text)) return 0.96;
  double best = 0;
  if (has_words(text, wish)) best = 0.6 + 0.3 * ratio(wish.size(), text.size());
  if (has_words(wish, text)) best = std::max(best, 0.85 * ratio(wish.size(), text.size()));
  if (wish.size() <= kLongestCompared && text.size() <= kLongestCompared &&
      ratio(wish.size(), text.size()) >= kLeastFuzzy) {
    const double longest = static_cast<double>(std::max(wish.size(), text.size()));
    const double same = 1 - static_cast<double>(edits(wish, text)) / longest;
    if (same >= kLeastFuzzy) best = std::max(best, same * 0.95);
  }
  return best;
}

}  // namespace gantry::vision_ground
