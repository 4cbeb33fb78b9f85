// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of a program, bounded: the beginning and the end are kept, the middle is counted. Not
// thread-safe.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::shell {

struct OutputText {
  std::string text;           // valid UTF-8; says where bytes were left out, and how many
  std::uint64_t dropped = 0;  // bytes that are in no text
};

class OutputLog {
 public:
  /// Keeps `limit` bytes: two thirds of the beginning, one third of the end.
  explicit OutputLog(std::size_t limit) : head_limit_(limit - limit / 3), tail_limit_(limit / 3) {}

  void append(std::string_view bytes);
  /// Everything that was kept.
  [[nodiscard]] OutputText text() const { return render(head_, tail_, dropped_); }
  /// What has come since the last take(), and forgets it. While there is `more` to come the
  /// beginning of a character at the end waits for its rest.
  OutputText take(bool more);
  /// Bytes that ever came.
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  static OutputText render(std::string_view head, std::string_view tail, std::uint64_t dropped);

  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::string head_;
  std::string tail_;  // up to twice its limit, so that it need not move for every byte
  std::uint64_t dropped_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace gantry::shell
