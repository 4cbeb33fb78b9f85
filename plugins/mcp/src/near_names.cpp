// SPDX-License-Identifier: Apache-2.0
#include "near_names.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gantry::mcp {
namespace {

constexpr std::size_t kMost = 3;
constexpr std::size_t kLongest = 128;

/// Letters to put in, take out or change (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names) {
  if (name.empty() || name.size() > kLongest) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& other : names) {
    const bool part = other.find(name) != std::string::npos;
    const std::size_t far = part ? 1 : distance(name, other);
    if (far <= std::max<std::size_t>(2, name.size() / 3)) near.emplace_back(far, other);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> out;
  for (const auto& [far, other] : near) {
    if (out.size() < kMost) out.push_back(other);
  }
  return out;
}

}  // namespace gantry::mcp
