// SPDX-License-Identifier: Apache-2.0
#pragma once
// The last so many texts of a kind, each once. Kept in memory only and forgotten with the process.

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_set>

namespace gantry::observation {

class RecentTexts {
 public:
  RecentTexts(std::size_t most, std::size_t shortest) : most_(most), shortest_(shortest) {}

  /// Texts that are too short to be told from others, or too long to be an argument, are not kept.
  void add(const std::string& text) {
    if (text.size() < shortest_ || text.size() > kLongest || !known_.insert(text).second) return;
    texts_.push_back(text);
    if (texts_.size() <= most_) return;
    known_.erase(texts_.front());
    texts_.pop_front();
  }
  [[nodiscard]] const std::deque<std::string>& texts() const { return texts_; }
  [[nodiscard]] bool empty() const { return texts_.empty(); }

 private:
  static constexpr std::size_t kLongest = 4096;  // bytes

  std::size_t most_;
  std::size_t shortest_;
  std::deque<std::string> texts_;  ///< Newest last.
  std::unordered_set<std::string> known_;
};

}  // namespace gantry::observation
