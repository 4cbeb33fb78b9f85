// SPDX-License-Identifier: Apache-2.0
#include "config/diagnostic.hpp"

#include <algorithm>
#include <utility>

namespace gantry::config {
namespace {

// Optimal string alignment distance: a swapped pair of letters counts as one slip.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string Origin::to_string() const {
  if (line <= 0) return file;
  return file + ":" + std::to_string(line);
}

std::string Diagnostic::to_string() const {
  std::string text = origin.to_string();
  if (!text.empty()) text += ": ";
  text += severity == Severity::kError ? "error: " : "warning: ";
  if (!path.empty()) text += path + ": ";
  return text + message;
}

void Diagnostics::error(const Origin& origin, std::string path, std::string message) {
  items_.push_back({Severity::kError, origin, std::move(path), std::move(message)});
  ++errors_;
}

void Diagnostics::warning(const Origin& origin, std::string path, std::string message) {
  items_.push_back({Severity::kWarning, origin, std::move(path), std::move(message)});
}

void Diagnostics::append(const Diagnostics& other) {
  items_.insert(items_.end(), other.items_.begin(), other.items_.end());
  errors_ += other.errors_;
}

std::string Diagnostics::to_string() const {
  std::string text;
  for (const auto& item : items_) text += item.to_string() + "\n";
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  // A long word would make the quadratic comparison a cost that its author chooses.
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  std::size_t best = allowed + 1;
  std::string found;
  for (const auto& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string match = nearest(word, known);
  return match.empty() ? std::string{} : " Did you mean '" + match + "'?";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

}  // namespace gantry::config
