// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text that is written in small pieces. A tree has hundreds of members of a few bytes each: what
// std::string does for each of them, out of line, takes longer than the bytes.

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace gantry::observation {

class TextBuffer {
 public:
  /// `expected`: bytes that there will be room for at first; it grows as needed.
  explicit TextBuffer(std::size_t expected = 256)
      : text_(expected, '\0'), end_(text_.data()), limit_(end_ + text_.size()) {}
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void put(char c) {
    if (end_ == limit_) grow(1);
    *end_++ = c;
  }
  void put(std::string_view text) {
    if (text.empty()) return;  // it may have no address
    if (static_cast<std::size_t>(limit_ - end_) < text.size()) grow(text.size());
    std::memcpy(end_, text.data(), text.size());
    end_ += text.size();
  }
  /// `before`, then the literal as the name of a member. How long it is, is known where it is
  /// written, so its bytes are stored in place.
  template <std::size_t Size>
  void put_member(char before, const char (&name)[Size]) {
    constexpr std::size_t kLength = Size - 1;
    if (static_cast<std::size_t>(limit_ - end_) < kLength + 4) grow(kLength + 4);
    *end_++ = before;
    *end_++ = '"';
    std::memcpy(end_, name, kLength);
    end_ += kLength;
    *end_++ = '"';
    *end_++ = ':';
  }
  void put_integer(std::integral auto value) {
    constexpr std::size_t kMostDigits = 24;
    if (static_cast<std::size_t>(limit_ - end_) < kMostDigits) grow(kMostDigits);
    end_ = std::to_chars(end_, limit_, value).ptr;
  }

  [[nodiscard]] std::string_view view() const {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }
  /// The text, which leaves this buffer.
  [[nodiscard]] std::string take() {
    text_.resize(view().size());
    std::string out = std::move(text_);
    text_.clear();
    end_ = limit_ = text_.data();
    return out;
  }

 private:
  void grow(std::size_t needed) {
    const std::size_t used = view().size();
    text_.resize(2 * text_.size() + needed);
    end_ = text_.data() + used;
    limit_ = text_.data() + text_.size();
  }

  std::string text_;  ///< as long as there is room
  char* end_;         ///< of what is written
  char* limit_;
};

}  // namespace gantry::observation
