// SPDX-License-Identifier: Apache-2.0
#include "near_names.hpp"

#include <gantry/mcp/json_text.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gantry::mcp {
namespace {

constexpr std::size_t kMost = 3;
constexpr std::size_t kLongest = 128;
constexpr std::size_t kShortestWord = 4;
constexpr std::size_t kMuchNearer = 2;  // times
constexpr std::string_view kBetween = "_-./ ";

using Near = std::pair<std::size_t, std::string>;  ///< How far away, and the name.

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

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find_first_of(kBetween, at), name.size());
    // Short words are in too many names.
    if (end - at >= kShortestWord) words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Those that share a word: another name for what there is, such as type_into for type_text.
std::vector<Near> related(std::string_view name, const std::vector<std::string>& names) {
  const auto words = words_of(name);
  std::vector<Near> out;
  for (const std::string& other : names) {
    const auto others = words_of(other);
    const auto shared = std::count_if(words.begin(), words.end(), [&](std::string_view word) {
      return std::find(others.begin(), others.end(), word) != others.end();
    });
    if (shared > 0) out.emplace_back(words.size() - static_cast<std::size_t>(shared), other);
  }
  return out;
}

/// The nearest first.
std::vector<Near> ranked(std::string_view name, const std::vector<std::string>& names) {
  if (name.empty() || name.size() > kLongest) return {};
  std::vector<Near> near;
  for (const std::string& other : names) {
    const bool part = other.find(name) != std::string::npos;
    const std::size_t far = part ? 1 : distance(name, other);
    if (far <= std::max<std::size_t>(2, name.size() / 3)) near.emplace_back(far, other);
  }
  if (near.empty()) near = related(name, names);
  std::sort(near.begin(), near.end());
  return near;
}

}  // namespace

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& [far, other] : ranked(name, names)) {
    if (out.size() < kMost) out.push_back(other);
  }
  return out;
}

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& names) {
  const std::vector<Near> near = ranked(name, names);
  if (near.empty()) return std::nullopt;
  const bool certain = near.size() == 1 || near[0].first * kMuchNearer <= near[1].first;
  return certain ? std::optional(near[0].second) : std::nullopt;
}

std::string near_matches_json(const std::vector<std::string>& near) {
  ArrayText names;
  for (const std::string& name : near) names.add(name);
  return ObjectText().raw("near_matches", names.text()).text();
}

}  // namespace gantry::mcp
