// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/line_cache.hpp>

#include <fmt/format.h>

namespace gantry::ocr {
namespace {

constexpr std::size_t kOverhead = 160;  // bytes of an entry beside what it holds
constexpr std::size_t kPerWord = 80;

}  // namespace

std::string LineCache::key_of(std::string_view manner, const cv::Mat& ink) {
  std::string out = fmt::format("{}:{}:", manner, ink.cols);
  for (int y = 0; y < ink.rows; ++y) {
    out.append(ink.ptr<char>(y), static_cast<std::size_t>(ink.cols));
  }
  return out;
}

std::size_t LineCache::cost(const Entry& entry) {
  return entry.key.size() + entry.words.size() * kPerWord + kOverhead;
}

std::optional<std::vector<ReadWord>> LineCache::find(const std::string& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->words;
}

void LineCache::put(const std::string& key, const std::vector<ReadWord>& words, std::size_t limit) {
  Entry entry{key, words};
  if (index_.contains(key) || cost(entry) > limit) return;
  bytes_ += cost(entry);
  entries_.push_front(std::move(entry));
  index_.emplace(entries_.front().key, entries_.begin());
  while (bytes_ > limit) {
    bytes_ -= cost(entries_.back());
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

void LineCache::clear() {
  index_.clear();
  entries_.clear();
  bytes_ = 0;
}

}  // namespace gantry::ocr
