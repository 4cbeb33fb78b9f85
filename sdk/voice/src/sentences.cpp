// SPDX-License-Identifier: Apache-2.0
#include "gantry/voice/sentences.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gantry/voice/speakable.hpp"
#include "unicode.hpp"

namespace gantry::voice {
namespace {

constexpr std::size_t kShortest = 100;  // of what is cut off a long sentence
constexpr std::size_t kHeadLimit = 40;  // characters of a line that tell what it is
constexpr std::size_t kFence = 3;

constexpr std::u32string_view kHeadCharacters = U" \t#-*+>.)`~|=_:0123456789";
constexpr std::u32string_view kClosers = U"\"')]}”’»›*_`~";
constexpr std::u32string_view kOpeners = U"\"'([{“‘«‹*_`~";
constexpr std::u32string_view kEnds = U".!?…‽";
constexpr std::u32string_view kWideEnds = U"。！？｡";
constexpr std::u32string_view kWideClosers = U"」』）】》”’";

/// After these a dot ends no sentence.
constexpr std::array<std::u32string_view, 42> kAbbreviations = {
    U"mr",   U"mrs",  U"ms",  U"dr",  U"prof", U"st",  U"sr",  U"jr",  U"rev",    U"gen", U"col",
    U"capt", U"lt",   U"sgt", U"hon", U"vs",   U"cf",  U"viz", U"ca",  U"approx", U"no",  U"nos",
    U"fig",  U"figs", U"eq",  U"sec", U"ch",   U"vol", U"pp",  U"ed",  U"eds",    U"al",  U"dept",
    U"est",  U"jan",  U"feb", U"aug", U"sept", U"oct", U"nov", U"dec", U"mt"};

bool is_one_of(char32_t c, std::u32string_view set) {
  return set.find(c) != std::u32string_view::npos;
}

std::u32string lower(std::u32string_view text) {
  std::u32string out(text);
  for (char32_t& c : out) {
    if (c >= U'A' && c <= U'Z') c |= 0x20U;
  }
  return out;
}

/// e.g, U.S, a.m: letters with dots between them.
bool is_dotted(std::u32string_view word) {
  if (word.size() < 3) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if ((i % 2 == 0) != is_ascii_letter(word[i]) || (i % 2 == 1 && word[i] != U'.')) return false;
  }
  return true;
}

bool consists_of(std::u32string_view text, std::u32string_view set) {
  return text.find_first_not_of(set) == std::u32string_view::npos;
}

}  // namespace

std::vector<std::string> Sentences::feed(std::string_view bytes) {
  bytes_ += bytes;
  std::string_view left = bytes_;
  while (!left.empty()) {
    const std::size_t size = codec::utf8_length(left);
    if (size > 0) {
      take(code_point(left, size));
      left.remove_prefix(size);
      continue;
    }
    // A character that may still become complete waits; anything else is no character.
    const auto lead = static_cast<std::uint8_t>(left.front());
    const std::size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    const bool may_come =
        left.size() < wanted && std::all_of(left.begin() + 1, left.end(), [](char b) {
          return (static_cast<std::uint8_t>(b) & 0xC0U) == 0x80;
        });
    if (may_come) break;
    left.remove_prefix(1);
  }
  bytes_.erase(0, bytes_.size() - left.size());
  return std::exchange(out_, {});
}

std::vector<std::string> Sentences::flush() {
  if (at_head_ && fence_ == 0) decide_head(true);
  emit(text_.size());
  bytes_.clear();
  head_.clear();
  at_head_ = true;
  skip_line_ = line_is_block_ = false;
  fence_ = 0;
  return std::exchange(out_, {});
}

void Sentences::take(char32_t c) {
  if (c == U'\r') return;
  if (plain_) {
    if (c != U'\n') return body(c);
    if (at_head_) emit(text_.size());  // an empty line
    at_head_ = true;
    return blank();
  }
  if (!at_head_) {
    if (c == U'\n') return end_line();
    if (!skip_line_) body(c);
    return;
  }
  if (c == U'\n') {
    decide_head(true);
    at_head_ = true;
    return;
  }
  if (head_.size() < kHeadLimit) head_.push_back(c);
  const bool undecided = is_one_of(c, kHeadCharacters) && head_.size() < kHeadLimit;
  if (!undecided && fence_ == 0) decide_head(false);
}

/// Says what kind of line begins with head_, and takes it.
void Sentences::decide_head(bool line_ended) {
  const std::u32string head = std::exchange(head_, {});
  const std::size_t first = std::min(head.find_first_not_of(U" \t"), head.size());
  const std::u32string_view line = std::u32string_view(head).substr(first);
  if (fence_ != 0) {
    const std::size_t marks = std::min(line.find_first_not_of(fence_), line.size());
    if (marks >= fence_size_ && consists_of(line.substr(marks), U" \t")) fence_ = 0;
    return;
  }
  if (line_ended && line.empty()) return begin_block();
  if (!line.empty() && (line.front() == U'`' || line.front() == U'~')) {
    const std::size_t marks = std::min(line.find_first_not_of(line.front()), line.size());
    if (marks >= kFence) {
      begin_block();
      fence_ = line.front();
      fence_size_ = marks;
      at_head_ = line_ended;
      skip_line_ = !line_ended;
      return;
    }
  }
  const bool rule = line_ended && (consists_of(line, U"- ") || consists_of(line, U"* ") ||
                                   consists_of(line, U"_ ") || consists_of(line, U"= ") ||
                                   consists_of(line, U"|-: "));
  if (rule) return begin_block();
  at_head_ = false;
  head_ = line;
  const std::size_t from = marker(0);
  const std::u32string rest = std::exchange(head_, {}).substr(from);
  for (const char32_t c : rest) body(c);
  if (line_ended) end_line();
}

/// Takes the marks of quotes, headings, items and rows at the front of head_; where text begins.
std::size_t Sentences::marker(std::size_t from) {
  const std::u32string_view line = std::u32string_view(head_).substr(from);
  const auto blank_at = [&](std::size_t i) {
    return i == line.size() || line[i] == U' ' || line[i] == U'\t';
  };
  if (line.empty()) return from;
  if (line.front() == U' ' || line.front() == U'\t' || line.front() == U'>')
    return marker(from + 1);
  if (line.front() == U'|') {
    begin_block();
    line_is_block_ = true;
    return from + 1;
  }
  const std::size_t hashes = std::min(line.find_first_not_of(U'#'), line.size());
  if (hashes >= 1 && hashes <= 6 && hashes < line.size() && blank_at(hashes)) {
    begin_block();
    line_is_block_ = true;
    return from + hashes;
  }
  const bool bullet = is_one_of(line.front(), U"-*+") && line.size() > 1 && blank_at(1);
  if (bullet) {
    begin_block();
    return marker(from + 1);
  }
  const std::size_t digits = std::min(line.find_first_not_of(U"0123456789"), line.size());
  const bool numbered = digits >= 1 && digits < 10 && digits + 1 < line.size() &&
                        is_one_of(line[digits], U".)") && blank_at(digits + 1);
  if (!numbered) return from;
  begin_block();
  for (const char32_t c : line.substr(0, digits)) body(c);
  body(U',');
  return from + digits + 1;
}

void Sentences::begin_block() { emit(text_.size()); }

void Sentences::end_line() {
  at_head_ = true;
  skip_line_ = false;
  if (std::exchange(line_is_block_, false)) return begin_block();
  blank();
}

void Sentences::body(char32_t c) {
  at_head_ = false;
  if (is_blank(c)) return blank();
  if (line_is_block_ && c == U'|') {
    letter(U',');
    return blank();
  }
  letter(c);
}

void Sentences::blank() {
  if (text_.empty() || text_.back() == U' ') return;
  std::size_t last = text_.find_last_not_of(kClosers);
  if (last != std::u32string::npos && is_one_of(text_[last], kEnds)) end_ = text_.size();
  text_.push_back(U' ');
}

void Sentences::letter(char32_t c) {
  if (end_ != 0) {
    const bool after_wide = end_ == text_.size() && is_one_of(c, kWideClosers);
    if (after_wide) {
      ++end_;
    } else {
      const std::size_t size = std::exchange(end_, 0);
      if (is_one_of(text_[size - 1], kWideEnds) || is_one_of(text_[size - 1], kWideClosers)) {
        emit(size);
      } else {
        end_ = size;
        const bool over = ends_before(c);
        end_ = 0;
        if (over) emit(size);
      }
    }
  }
  text_.push_back(c);
  if (is_one_of(c, kWideEnds)) end_ = text_.size();
  if (text_.size() >= kLongest) cut();
}

/// Whether the sentence ends at end_, as `next` follows it after a blank.
bool Sentences::ends_before(char32_t next) const {
  if (is_lower(next)) return false;
  const std::u32string_view sentence = std::u32string_view(text_).substr(0, end_);
  const std::size_t last = sentence.find_last_not_of(kClosers);
  const bool single_dot =
      sentence[last] == U'.' && (last == 0 || !is_one_of(sentence[last - 1], kEnds));
  return !single_dot || dot_ends();
}

/// Whether the dot at end_ is more than that of an abbreviation, an initial or a number.
bool Sentences::dot_ends() const {
  const std::u32string_view sentence = std::u32string_view(text_).substr(0, end_);
  const std::u32string_view before = sentence.substr(0, sentence.find_last_not_of(kClosers));
  std::size_t begin = before.find_last_of(U" ");
  begin = begin == std::u32string_view::npos ? 0 : begin + 1;
  std::u32string_view word = before.substr(begin);
  const std::size_t opened = std::min(word.find_first_not_of(kOpeners), word.size());
  word = word.substr(opened);
  const std::u32string small = lower(word);
  if (small == U"a.m" || small == U"p.m") return true;
  if (is_dotted(word)) return false;
  if (word.size() == 1 && word[0] >= U'A' && word[0] <= U'Z' && word[0] != U'I') return false;
  if (begin == 0 && opened == 0 && consists_of(word, U"0123456789")) return false;
  return std::find(kAbbreviations.begin(), kAbbreviations.end(), small) == kAbbreviations.end();
}

/// The sentence is too long to be spoken in one piece.
void Sentences::cut() {
  std::size_t at = text_.find_last_of(U",;:–—");
  if (at == std::u32string::npos || at < kShortest) at = text_.find_last_of(U' ');
  if (at == std::u32string::npos || at < kShortest) at = text_.size() - 1;
  emit(at + 1);
}

/// Gives the first `size` characters; the rest stays.
void Sentences::emit(std::size_t size) {
  const std::string sentence = to_utf8(std::u32string_view(text_).substr(0, size));
  text_.erase(0, size);
  const std::size_t rest = std::min(text_.find_first_not_of(U' '), text_.size());
  text_.erase(0, rest);
  end_ = 0;
  std::string said = plain_ ? sentence : speakable(sentence);
  while (!said.empty() && said.back() == ' ') said.pop_back();
  if (!said.empty()) out_.push_back(std::move(said));
}

}  // namespace gantry::voice
