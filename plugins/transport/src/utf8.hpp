// SPDX-License-Identifier: Apache-2.0
#pragma once

// Incremental UTF-8 validation (RFC 3629): text may arrive cut anywhere, also inside a sequence.

#include <cstdint>
#include <string_view>

namespace gantry::transport {

class Utf8Validator {
 public:
  /// False as soon as the bytes seen so far cannot be the beginning of valid UTF-8: surrogates,
  /// overlong forms and code points above U+10FFFF are found at their second byte.
  bool feed(std::string_view bytes);

  /// True between code points.
  bool complete() const { return pending_ == 0; }

  void reset() { *this = {}; }

 private:
  bool lead(unsigned char byte);

  uint8_t pending_ = 0;  ///< continuation bytes still expected
  uint8_t low_ = 0x80;   ///< bounds of the next one
  uint8_t high_ = 0xbf;
};

bool is_utf8(std::string_view text);

}  // namespace gantry::transport
