// SPDX-License-Identifier: Apache-2.0
#pragma once
// The last so many texts of a kind, each once. Kept in memory only and forgotten with the process.

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "secret_forms.hpp"

namespace gantry::observation {

/// A text, and its other writings as soon as somebody has looked for them: both go together.
class KnownText {
 public:
  explicit KnownText(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::shared_ptr<const SecretForms>& forms() const {
    if (!forms_) forms_ = std::make_shared<const SecretForms>(text_);
    return forms_;
  }
  friend bool operator==(const KnownText& known, const std::string& text) {
    return known.text_ == text;
  }

 private:
  std::string text_;
  mutable std::shared_ptr<const SecretForms> forms_;
};

class RecentTexts {
 public:
  RecentTexts(std::size_t most, std::size_t shortest) : most_(most), shortest_(shortest) {}

  /// Texts that are too short to be told from others, or too long to be an argument, are not kept.
  void add(const std::string& text) {
    if (text.size() < shortest_ || text.size() > kLongest || !known_.insert(text).second) return;
    texts_.emplace_back(text);
    if (texts_.size() <= most_) return;
    known_.erase(texts_.front().text());
    texts_.pop_front();
  }
  [[nodiscard]] const std::deque<KnownText>& texts() const { return texts_; }
  [[nodiscard]] bool empty() const { return texts_.empty(); }

 private:
  static constexpr std::size_t kLongest = 4096;  // bytes

  std::size_t most_;
  std::size_t shortest_;
  std::deque<KnownText> texts_;  ///< Newest last.
  std::unordered_set<std::string> known_;
};

}  // namespace gantry::observation
