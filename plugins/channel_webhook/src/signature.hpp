// SPDX-License-Identifier: Apache-2.0
#pragma once
// Signatures of webhook requests: HMAC-SHA-256 over "<timestamp>.<body>", as "sha256=<hex>". The
// timestamp is in seconds since 1970. Pure.

#include <gantry/result.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gantry::channel_webhook {

inline constexpr std::string_view kTimestampHeader = "x-gantry-timestamp";
inline constexpr std::string_view kSignatureHeader = "x-gantry-signature";

[[nodiscard]] std::string signature_of(std::string_view secret, std::string_view timestamp,
                                       std::string_view body);

/// Judges requests; remembers those that it has let in for as long as they could be sent again.
class Verifier {
 public:
  /// What was signed before `began_ms` is refused: an earlier life may have let it in.
  Verifier(std::string secret, std::int64_t skew_ms, std::int64_t began_ms)
      : secret_(std::move(secret)), skew_ms_(skew_ms), began_ms_(began_ms) {}

  /// Errors: unauthenticated (no signature, a wrong one, a time that is off, or one that was seen
  /// already).
  [[nodiscard]] Result<void> check(std::string_view timestamp, std::string_view signature,
                                   std::string_view body, std::int64_t now_ms);

 private:
  std::string secret_;
  std::int64_t skew_ms_;
  std::int64_t began_ms_;
  std::map<std::string, std::int64_t> seen_;  // signature → when it may be forgotten
};

}  // namespace gantry::channel_webhook
