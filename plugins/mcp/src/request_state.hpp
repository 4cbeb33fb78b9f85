// SPDX-License-Identifier: Apache-2.0
#pragma once
// The requestState of 2026-07-28 (Multi Round-Trip Requests): a reference to a run that waits in
// this process, sealed so that only the request and the principal that it was made for can use it.
// It holds no secret and means nothing to another process. Any thread after construction.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::mcp {

/// 128 random bits as hexadecimal digits; the process ends when the system has no randomness.
[[nodiscard]] std::string random_id();
/// SHA-256 as hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view text);

class Sealer {
 public:
  Sealer();  // a key of its own: what another process sealed is refused

  /// `binding` is whatever must be the same when it comes back; it is not part of the text.
  [[nodiscard]] std::string seal(std::string_view id, std::int64_t expires_ns,
                                 std::string_view binding) const;
  /// The id, unless it was changed, is for something else, or has expired.
  [[nodiscard]] std::optional<std::string> open(std::string_view state, std::int64_t now_ns,
                                                std::string_view binding) const;

 private:
  [[nodiscard]] std::string mac(std::string_view payload, std::string_view binding) const;
  std::array<unsigned char, 32> key_{};
};

}  // namespace gantry::mcp
