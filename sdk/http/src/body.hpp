// SPDX-License-Identifier: Apache-2.0
#pragma once
// The body of an answer, taken out of the bytes of its connection. All that is at hand comes out at
// once: a stream that reads one chunk of the transfer coding at a time makes a wake-up of each.

#include <Poco/Net/HTTPResponse.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gantry::http {

/// More lines than this are too many, in the head of an answer and in the trailer of its body.
inline constexpr std::uint32_t kMostFields = 256;

class Body {
 public:
  /// What the head says of the answer to a request with this method.
  static Body of(const Poco::Net::HTTPResponse& head, const std::string& method);
  static Body chunked();
  static Body sized(std::uint64_t bytes);
  static Body until_close();

  /// `size` bytes came. Leaves at the front of `bytes` what is of the body and returns how much
  /// that is, which may be nothing.
  std::size_t take(char* bytes, std::size_t size);
  /// The connection has ended.
  void close();
  /// No more comes.
  [[nodiscard]] bool over() const { return phase_ >= Phase::Over; }
  /// It is over before its end: something is missing.
  [[nodiscard]] bool cut() const { return phase_ == Phase::Cut; }
  /// It has come, and more behind it than a trailer may have: lines without end, or a longer one.
  [[nodiscard]] bool flooded() const { return phase_ == Phase::Flooded; }
  /// It is over, and the connection stands where the next answer begins.
  [[nodiscard]] bool leaves_connection() const { return phase_ == Phase::Over && !followed_; }

 private:
  /// Of the transfer coding: a size, the rest of its line, that many bytes, the end of their line;
  /// after the size 0 lines until an empty one. Closed: all of it came, and its connection ended.
  /// Cut: it ended otherwise than its form says. Flooded: not even its trailer would have ended.
  enum class Phase : std::uint8_t {
    Size,
    SizeLine,
    Data,
    DataLine,
    Trailer,
    Stream,
    Over,
    Closed,
    Cut,
    Flooded
  };

  Body(Phase phase, std::uint64_t left) : phase_(phase), left_(left) {}
  void step(char byte);
  void size_digit(char byte);

  Phase phase_;
  bool chunked_ = false;
  bool after_return_ = false;
  bool followed_ = false;     // by bytes that are of no answer that was asked for
  std::uint32_t line_ = 0;    // characters of a line so far
  std::uint32_t fields_ = 0;  // lines of the trailer so far
  std::uint64_t left_ = 0;    // bytes of the chunk, or of the body
};

}  // namespace gantry::http
