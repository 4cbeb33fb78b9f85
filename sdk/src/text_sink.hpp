// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gantry::codec {

/// Collects JSON text and appends it to a string in large pieces: most objects' texts arrive in
/// one, so the string is allocated once and just as large as it must be. What was not flushed is
/// lost.
class TextSink {
 public:
  explicit TextSink(std::string& out) : out_(out) {}
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  void flush() {
    out_.append(buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data()));
    at_ = buffer_.data();
  }

  void put(char c) {
    if (at_ == end()) flush();
    *at_++ = c;
  }
  void put(std::string_view text) {
    if (room() < text.size()) return put_long(text);
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }

  /// A JSON string: quoted, with escapes, and with replacement characters where it is not UTF-8.
  void put_string(std::string_view text);
  void put_signed(std::int64_t value);
  void put_unsigned(std::uint64_t value);
  /// null when it is not finite, and with a fraction or an exponent.
  void put_double(double value);

  /// The string itself, with all so far, for what writes a lot.
  std::string& flushed() {
    flush();
    return out_;
  }

 private:
  [[nodiscard]] const char* end() const { return buffer_.data() + buffer_.size(); }
  [[nodiscard]] std::size_t room() const { return static_cast<std::size_t>(end() - at_); }
  void reserve(std::size_t bytes) {
    if (room() < bytes) flush();
  }
  void put_long(std::string_view text);
  const char* copy_plain(const char* from, const char* end);
  const char* put_special(const char* from, const char* end);

  std::string& out_;
  std::array<char, 1024> buffer_;  // need not be initialised
  char* at_ = buffer_.data();
};

}  // namespace gantry::codec
