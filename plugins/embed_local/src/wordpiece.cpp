// SPDX-License-Identifier: Apache-2.0
#include "wordpiece.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "code_points.hpp"

namespace gantry::embed_local {
namespace {

constexpr std::size_t kLongestWord = 100;    // characters; longer ones are unknown
constexpr std::size_t kLongestPiece = 1024;  // bytes of a line of the vocabulary
constexpr char32_t kCapitalSigma = 0x3A3;
constexpr char32_t kFinalSigma = 0x3C2;

/// The text without what BERT drops, every blank a space, CJK characters between spaces.
std::u32string cleaned(std::string_view text) {
  std::u32string out;
  for_each_code_point(text, [&](char32_t c) {
    if (c == 0 || c == kReplacement || is_control(c)) return;
    if (is_cjk(c)) {
      out += U' ';
      out += c;
      out += U' ';
    } else {
      out += is_blank(c) ? U' ' : c;
    }
  });
  return out;
}

/// Whether Python's lower() writes this sigma as one that ends a word: a letter stands before it,
/// and none behind, marks and the like not counting.
bool ends_word(std::u32string_view word, std::size_t at) {
  const auto letter_from = [&](std::size_t i, std::ptrdiff_t step) {
    for (auto here = static_cast<std::ptrdiff_t>(i) + step;
         here >= 0 && here < static_cast<std::ptrdiff_t>(word.size()); here += step) {
      const char32_t c = word[static_cast<std::size_t>(here)];
      if (!is_case_ignorable(c)) return is_cased(c);
    }
    return false;
  };
  return letter_from(at, -1) && !letter_from(at, 1);
}

std::string folded(std::u32string_view word) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (is_combining(word[i])) continue;
    if (word[i] == kCapitalSigma && ends_word(word, i)) {
      append_utf8(kFinalSigma, out);
    } else {
      append_folded(word[i], out);
    }
  }
  return out;
}

/// A word cut at punctuation, every sign a word of its own.
void add_split(std::string_view word, std::vector<std::string>& out) {
  std::string part;
  for_each_code_point(word, [&](char32_t c) {
    if (is_punctuation(c)) {
      if (!part.empty()) out.push_back(std::exchange(part, {}));
      out.emplace_back();
      append_utf8(c, out.back());
    } else {
      append_utf8(c, part);
    }
  });
  if (!part.empty()) out.push_back(std::move(part));
}

std::string as_is(std::u32string_view word) {
  std::string out;
  for (const char32_t c : word) append_utf8(c, out);
  return out;
}

/// Bytes of the character at `at`; the text is UTF-8.
std::size_t character_length(std::string_view text, std::size_t at) {
  return std::max<std::size_t>(1, codec::utf8_length(text.substr(at)));
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += character_length(text, at)) ++count;
  return count;
}

}  // namespace

std::vector<std::string> basic_tokens(std::string_view text, bool lowercase) {
  std::vector<std::string> out;
  const std::u32string clean = cleaned(text);
  for (std::size_t begin = 0; begin < clean.size();) {
    const auto is_gap = [](char32_t c) { return is_blank(c) || is_line_separator(c); };
    const auto first =
        std::find_if_not(clean.begin() + static_cast<std::ptrdiff_t>(begin), clean.end(), is_gap);
    const auto last = std::find_if(first, clean.end(), is_gap);
    const std::u32string_view word(first, last);
    if (!word.empty()) add_split(lowercase ? folded(word) : as_is(word), out);
    begin = static_cast<std::size_t>(last - clean.begin());
  }
  return out;
}

Result<WordPiece> WordPiece::of(std::string_view vocabulary, bool lowercase) {
  WordPiece out;
  out.lowercase_ = lowercase;
  std::int64_t number = 0;
  while (!vocabulary.empty()) {
    const std::size_t end = std::min(vocabulary.find('\n'), vocabulary.size());
    std::string_view line = vocabulary.substr(0, end);
    vocabulary.remove_prefix(std::min(end + 1, vocabulary.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > kLongestPiece) {
      return invalid_argument(fmt::format("line {} of the vocabulary is too long", number + 1));
    }
    out.numbers_[std::string(line)] = number++;
  }
  GANTRY_ASSIGN(out.begin_, out.special("[CLS]"));
  GANTRY_ASSIGN(out.end_, out.special("[SEP]"));
  GANTRY_ASSIGN(out.unknown_, out.special("[UNK]"));
  GANTRY_ASSIGN(out.padding_, out.special("[PAD]"));
  return out;
}

Result<WordPiece> WordPiece::open(const std::filesystem::path& file, bool lowercase) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in || text.empty()) {
    return unavailable("the vocabulary " + file.string() + " cannot be read",
                       "set embed_local.sentence_model.vocabulary to the vocab.txt of the model");
  }
  auto made = of(text, lowercase);
  if (!made.ok()) return made.error().with_context(file.string());
  return made;
}

Result<std::int64_t> WordPiece::special(const std::string& piece) const {
  const auto found = numbers_.find(piece);
  if (found != numbers_.end()) return found->second;
  return invalid_argument("the vocabulary has no " + piece + ", so it is none of BERT's");
}

void WordPiece::cut(std::string_view word, std::vector<Numbers::const_iterator>& pieces) const {
  const std::size_t before = pieces.size();
  const auto give_up = [&] {
    pieces.resize(before);
    pieces.push_back(numbers_.find("[UNK]"));
  };
  if (count_characters(word) > kLongestWord) return give_up();
  std::vector<std::size_t> ends;  // of the characters
  for (std::size_t at = 0; at < word.size();) ends.push_back(at += character_length(word, at));
  std::size_t begin = 0;
  while (begin < word.size()) {
    auto found = numbers_.end();
    std::size_t end = 0;
    for (auto last = ends.rbegin(); last != ends.rend() && *last > begin; ++last) {
      std::string piece(word.substr(begin, *last - begin));
      if (begin > 0) piece.insert(0, "##");
      found = numbers_.find(piece);
      end = *last;
      if (found != numbers_.end()) break;
    }
    if (found == numbers_.end()) return give_up();
    pieces.push_back(found);
    begin = end;
  }
}

std::vector<WordPiece::Numbers::const_iterator> WordPiece::cut_all(std::string_view text) const {
  std::vector<Numbers::const_iterator> pieces;
  for (const std::string& word : basic_tokens(text, lowercase_)) cut(word, pieces);
  return pieces;
}

std::vector<std::string> WordPiece::pieces(std::string_view text) const {
  std::vector<std::string> out;
  for (const auto& piece : cut_all(text)) out.push_back(piece->first);
  return out;
}

std::vector<std::int64_t> WordPiece::encode(std::string_view text, std::size_t most) const {
  std::vector<std::int64_t> out{begin_};
  for (const auto& piece : cut_all(text)) {
    if (out.size() + 1 >= most) break;
    out.push_back(piece->second);
  }
  out.push_back(end_);
  return out;
}

}  // namespace gantry::embed_local
