// SPDX-License-Identifier: Apache-2.0
// Line breaking as Python's textwrap does it with default options. Works on chunks: runs of white
// space, words, parts of hyphenated words and em-dashes; whole chunks are put on a line while they
// fit.
#include <deque>

#include "text.hpp"

namespace gantry::observation {
namespace {

/// textwrap knows only ASCII white space; a no-break space belongs to its word.
bool is_break_space(char32_t c) { return c == U' ' || (c >= 0x09 && c <= 0x0D); }

bool is_letter(char32_t c) { return is_word_character(c) && !is_digit(c); }

bool is_word_or_punctuation(char32_t c) {
  return is_word_character(c) ||
         std::u32string_view(U"!\"'&.,?").find(c) != std::u32string_view::npos;
}

class Chunker {
 public:
  explicit Chunker(std::u32string_view text) : text_(text) {}

  std::deque<std::u32string> run() {
    std::deque<std::u32string> chunks;
    while (at_ < text_.size()) {
      const std::size_t end = chunk_end();
      chunks.emplace_back(text_.substr(at_, end - at_));
      at_ = end;
    }
    return chunks;
  }

 private:
  [[nodiscard]] char32_t get(std::size_t i) const { return i < text_.size() ? text_[i] : U'\0'; }
  [[nodiscard]] bool inside(std::size_t i) const { return i < text_.size(); }

  [[nodiscard]] std::size_t dash_run_end(std::size_t from) const {
    std::size_t end = from;
    while (inside(end) && text_[end] == U'-') ++end;
    return end;
  }

  /// "word--word": two or more dashes between a word and a word character.
  [[nodiscard]] bool em_dash_at(std::size_t i) const {
    if (i == 0 || !is_word_or_punctuation(text_[i - 1])) return false;
    const std::size_t end = dash_run_end(i);
    return end - i >= 2 && inside(end) && is_word_character(text_[end]);
  }

  /// A hyphen at `i` after which a word may be broken: two letters (or letter, hyphen, letter or
  /// punctuation) before it, and a letter followed by a letter, perhaps over another hyphen, after.
  [[nodiscard]] bool hyphen_break_at(std::size_t i) const {
    if (get(i) != U'-' || i < 2) return false;
    const bool two_letters = is_letter(text_[i - 1]) && is_letter(text_[i - 2]);
    const bool letter_hyphen_part = i >= 3 && is_word_or_punctuation(text_[i - 1]) &&
                                    text_[i - 2] == U'-' && is_letter(text_[i - 3]);
    if (!two_letters && !letter_hyphen_part) return false;
    if (!inside(i + 1) || !is_letter(text_[i + 1])) return false;
    const std::size_t second = get(i + 2) == U'-' ? i + 3 : i + 2;
    return inside(second) && is_letter(text_[second]);
  }

  [[nodiscard]] std::size_t chunk_end() const {
    if (is_break_space(text_[at_])) {
      std::size_t end = at_;
      while (inside(end) && is_break_space(text_[end])) ++end;
      return end;
    }
    if (text_[at_] == U'-' && em_dash_at(at_)) return dash_run_end(at_);
    for (std::size_t i = at_ + 1;; ++i) {
      if (!inside(i) || is_break_space(text_[i])) return i;
      if (hyphen_break_at(i)) return i + 1;
      if (text_[i] == U'-' && em_dash_at(i)) return i;
    }
  }

  std::u32string_view text_;
  std::size_t at_ = 0;
};

/// How much of an overlong word goes on a line with `room` left: up to the last hyphen if one fits.
std::size_t cut_point(const std::u32string& word, std::size_t room) {
  if (word.size() <= room || room == 0) return room;
  const std::size_t hyphen = word.rfind(U'-', room - 1);
  if (hyphen == std::u32string::npos || hyphen == 0) return room;
  const bool only_dashes = word.find_first_not_of(U'-') >= hyphen;
  return only_dashes ? room : hyphen + 1;
}

}  // namespace

std::vector<std::u32string> wrap_text(std::u32string_view text, std::size_t width) {
  if (width == 0) return {};
  const auto blank = [](const std::u32string& chunk) { return is_break_space(chunk.front()); };
  std::deque<std::u32string> chunks = Chunker(text).run();
  std::vector<std::u32string> lines;
  while (!chunks.empty()) {
    std::vector<std::u32string> parts;
    std::size_t used = 0;
    if (!lines.empty() && blank(chunks.front())) chunks.pop_front();
    while (!chunks.empty() && used + chunks.front().size() <= width) {
      used += chunks.front().size();
      parts.push_back(std::move(chunks.front()));
      chunks.pop_front();
    }
    if (!chunks.empty() && chunks.front().size() > width) {
      const std::size_t cut = cut_point(chunks.front(), width - used);
      parts.push_back(chunks.front().substr(0, cut));
      chunks.front().erase(0, cut);
    }
    while (!parts.empty() && parts.back().empty()) parts.pop_back();
    if (!parts.empty() && blank(parts.back())) parts.pop_back();
    if (parts.empty()) continue;
    std::u32string line;
    for (const std::u32string& part : parts) line += part;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace gantry::observation
