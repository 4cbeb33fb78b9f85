// SPDX-License-Identifier: Apache-2.0
//
// A text that is still being written, cut into sentences that can be spoken. Pure: no clock, no
// I/O. One thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::voice {

/// Takes Markdown in pieces that may end anywhere, also within a character, and gives sentences as
/// speakable() makes them. The same text gives the same sentences, however it is cut. Code blocks
/// are left out; headings, items of lists and rows of tables are sentences of their own; what is
/// longer than kLongest characters is cut at a comma or a blank.
class Sentences {
 public:
  static constexpr std::size_t kLongest = 400;

  /// `plain`: the text is not Markdown.
  explicit Sentences(bool plain = false) : plain_(plain) {}

  /// The sentences that these bytes complete. Bytes that are no UTF-8 are left out.
  [[nodiscard]] std::vector<std::string> feed(std::string_view bytes);
  /// Nothing belongs to what is there any more: it is a sentence, and what follows a new text.
  [[nodiscard]] std::vector<std::string> flush();

 private:
  void take(char32_t c);
  void decide_head(bool line_ended);
  [[nodiscard]] std::size_t marker(std::size_t from);
  void begin_block();
  void body(char32_t c);
  void end_line();
  void blank();
  void letter(char32_t c);
  [[nodiscard]] bool ends_before(char32_t next) const;
  [[nodiscard]] bool dot_ends() const;
  void cut();
  void emit(std::size_t size);

  bool plain_;
  std::string bytes_;           // of a character that is not complete
  std::u32string head_;         // of a line whose kind is not known yet
  bool at_head_ = true;         // of a line
  bool skip_line_ = false;      // the rest of it is not spoken
  bool line_is_block_ = false;  // ends with its line: a heading, a row
  char32_t fence_ = 0;          // of the code block that is open
  std::size_t fence_size_ = 0;
  std::u32string text_;  // of the sentence that is open
  std::size_t end_ = 0;  // where it ends, if what follows begins a new one; 0: nowhere
  std::vector<std::string> out_;
};

}  // namespace gantry::voice
