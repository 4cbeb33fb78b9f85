// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON text taken apart value by value. Whatever is built of them, the same texts are taken and
// refused with the same words.

#include <cstddef>
#include <string_view>

#include "json_scanner.hpp"

namespace gantry::codec {

/// Recursive descent, at most kMaxDepth deep. The builder is told of every value in the order of
/// the text: word(), number() or text(), and of what has others inside open_…() before them and
/// close_…() behind them, with what open_…() answered; name() comes before the value of a member.
/// `text` of word(), number() and close_…() is how the document has it; what text() and name() get
/// lives until the next string when it has escapes.
template <class Builder>
class JsonParser final : public Scanner {
 public:
  JsonParser(std::string_view json, Builder& builder) : Scanner(json), builder_(builder) {}

  /// The document, or a value `depth` levels inside of one. False: error() says why not.
  bool parse(std::size_t depth = 0) {
    skip_space();
    return parse_value(depth) && scan_end();
  }

 private:
  bool parse_value(std::size_t depth) {
    if (at_ == end_) return fail("the text ends where a value should be");
    switch (*at_) {
      case '{': return parse_object(depth + 1);
      case '[': return parse_array(depth + 1);
      case '"': return scan_text() && (builder_.text(text_, text_had_escapes()), true);
      case 't': return parse_word("true");
      case 'f': return parse_word("false");
      case 'n': return parse_word("null");
      default: return parse_number();
    }
  }

  bool parse_object(std::size_t depth) {
    if (depth > kMaxDepth) return fail("more than 64 levels");
    const char* first = at_;
    const auto opened = builder_.open_object();
    ++at_;
    std::size_t count = 0;
    skip_space();
    if (!take('}')) {
      do {
        if (!scan_name()) return false;
        builder_.name(text_, text_had_escapes());
        if (!parse_value(depth)) return false;
        ++count;
        skip_space();
      } while (take(','));
      if (!take('}')) return fail("a comma or } is missing");
    }
    builder_.close_object(opened, count, {first, at_});
    return true;
  }

  bool parse_array(std::size_t depth) {
    if (depth > kMaxDepth) return fail("more than 64 levels");
    const char* first = at_;
    const auto opened = builder_.open_array();
    ++at_;
    std::size_t count = 0;
    skip_space();
    if (!take(']')) {
      do {
        skip_space();
        if (!parse_value(depth)) return false;
        ++count;
        skip_space();
      } while (take(','));
      if (!take(']')) return fail("a comma or ] is missing");
    }
    builder_.close_array(opened, count, {first, at_});
    return true;
  }

  bool parse_word(std::string_view word) {
    if (!scan_word(word)) return false;
    builder_.word(word);
    return true;
  }

  bool parse_number() {
    const char* first = at_;
    Number number;
    if (!scan_number(number)) return false;
    builder_.number(number, {first, at_});
    return true;
  }

  Builder& builder_;
};

}  // namespace gantry::codec
