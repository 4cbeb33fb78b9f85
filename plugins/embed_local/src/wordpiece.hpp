// SPDX-License-Identifier: Apache-2.0
//
// BERT's tokenizer, as its authors published it: the text is cleaned, split at blanks, CJK
// characters and punctuation, and each word is cut into the longest pieces that the vocabulary has.
// Thread-safe once it has been made.
#pragma once

#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::embed_local {

/// The words of a text before they are cut into pieces. With `lowercase` they lose their marks too.
std::vector<std::string> basic_tokens(std::string_view text, bool lowercase);

class WordPiece {
 public:
  /// `vocabulary` has one piece a line, the first one's number being 0. Errors: invalid_argument
  /// ([CLS], [SEP], [UNK] or [PAD] is missing, or a line is too long).
  static Result<WordPiece> of(std::string_view vocabulary, bool lowercase);
  /// Errors: unavailable (no such file, with the cure), and those above.
  static Result<WordPiece> open(const std::filesystem::path& file, bool lowercase);

  /// The pieces of a text, without [CLS] and [SEP].
  [[nodiscard]] std::vector<std::string> pieces(std::string_view text) const;
  /// Their numbers between those of [CLS] and [SEP]; at most `most` with them.
  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text, std::size_t most) const;

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::int64_t padding() const { return padding_; }

 private:
  using Numbers = std::unordered_map<std::string, std::int64_t>;

  WordPiece() = default;
  /// Appends the numbers of a word's pieces.
  void cut(std::string_view word, std::vector<Numbers::const_iterator>& pieces) const;
  [[nodiscard]] std::vector<Numbers::const_iterator> cut_all(std::string_view text) const;
  [[nodiscard]] Result<std::int64_t> special(const std::string& piece) const;

  Numbers numbers_;
  bool lowercase_ = true;
  std::int64_t begin_ = 0, end_ = 0, unknown_ = 0, padding_ = 0;
};

}  // namespace gantry::embed_local
