// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text that grows as a page is walked: white space collapses, blocks are kept apart, what is
// preformatted stays as it is. Pure.

#include <gantry/tools/text.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::web {

[[nodiscard]] inline std::string ascii_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

/// At most so many bytes, complete characters only.
inline std::string cut_to(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  text.resize(limit);
  text.resize(limit - tools::unfinished_utf8(text));
  return text;
}

class TextFlow {
 public:
  explicit TextFlow(std::size_t limit) : limit_(limit) {}

  /// Text of a page. White space collapses unless it is verbatim.
  void words(std::string_view text) {
    for (const char c : text) {
      const bool white = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
      if (white && verbatim_ == 0) {
        space_ = true;
      } else {
        put(c);
      }
    }
  }
  /// What is not of the page: marks of lists and headings.
  void mark(std::string_view text) {
    for (const char c : text) put(c);
  }
  /// A mark that what follows stays beside, whatever block it is in.
  void lead(std::string_view text) {
    mark(text);
    fresh_ = true;
  }
  /// Puts something around what came since `at`.
  void wrap(std::size_t at, std::string_view before, std::string_view after) {
    if (full_) return;
    const std::string words(since(at));
    out_.resize(out_.size() - words.size());
    out_ += before;
    out_ += words;
    out_ += after;
  }
  /// At least so many line ends before what comes next.
  void lines(int count) {
    if (fresh_) return;
    space_ = false;
    breaks_ = std::max(breaks_, count);
  }
  void verbatim(bool on) { verbatim_ += on ? 1 : -1; }

  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] std::size_t size() const { return out_.size(); }
  [[nodiscard]] std::string_view since(std::size_t at) const {
    return std::string_view(out_).substr(std::min(at, out_.size()));
  }
  [[nodiscard]] std::string take() {
    while (!out_.empty() && (out_.back() == ' ' || out_.back() == '\n')) out_.pop_back();
    return std::move(out_);
  }

 private:
  void put(char c) {
    if (full_) return;
    fresh_ = false;
    if (breaks_ > 0 && !out_.empty()) {
      int there = 0;
      for (std::size_t at = out_.size(); at > 0 && out_[at - 1] == '\n'; --at) ++there;
      out_.append(static_cast<std::size_t>(std::max(0, breaks_ - there)), '\n');
    } else if (space_ && !out_.empty() && out_.back() != '\n' && out_.back() != ' ') {
      out_ += ' ';
    }
    breaks_ = 0;
    space_ = false;
    if (out_.size() >= limit_) {
      full_ = true;
      return;
    }
    out_ += c;
  }

  std::size_t limit_;
  std::string out_;
  int breaks_ = 0;
  int verbatim_ = 0;
  bool space_ = false;
  bool fresh_ = false;  // right after lead()
  bool full_ = false;
};

}  // namespace gantry::web
