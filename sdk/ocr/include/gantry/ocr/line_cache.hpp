// SPDX-License-Identifier: Apache-2.0
//
// Lines that have been read, by their pixels.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gantry/ocr/line_finder.hpp>

namespace gantry::ocr {

/// Keyed by manner, size and ink, compared whole: another line never answers for one whose hash
/// it has. The least recently used go when `limit` bytes are used up. Not thread-safe.
class LineCache {
 public:
  /// What a line is known by.
  [[nodiscard]] static std::string key_of(std::string_view manner, const cv::Mat& ink);

  [[nodiscard]] std::optional<std::vector<ReadWord>> find(const std::string& key);
  /// Keeps a copy unless it is larger than `limit` bytes alone.
  void put(const std::string& key, const std::vector<ReadWord>& words, std::size_t limit);
  void clear();
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string key;
    std::vector<ReadWord> words;
  };
  static std::size_t cost(const Entry& entry);

  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;
  std::size_t bytes_ = 0;
};

}  // namespace gantry::ocr
