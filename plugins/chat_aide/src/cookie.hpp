// SPDX-License-Identifier: Apache-2.0
//
// The value of the cookie `aide_user`: who has signed in, until when, and the signature of both.
// Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::chat_aide {

struct SignedIn {
  std::string user;
  std::int64_t epoch = 0;  // of the user: grows when all that was signed before is void
  std::int64_t expires_ms = 0;
};

/// <user in hexadecimal>.<epoch>.<expires_ms>.<HMAC-SHA-256 of what is before it, hexadecimal>
[[nodiscard]] std::string sign_cookie(std::string_view key, const SignedIn& who);

/// Nothing: not made with this key, or expired at `now_ms`.
[[nodiscard]] std::optional<SignedIn> read_cookie(std::string_view key, std::string_view value,
                                                  std::int64_t now_ms);

/// The cookie of that name in a Cookie header; empty when there is none.
[[nodiscard]] std::string_view cookie_named(std::string_view header, std::string_view name);

/// Whether both are the same text, in a time that does not depend on where they differ.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

[[nodiscard]] std::string hex_of(std::string_view bytes);
/// Nothing: no hexadecimal digits.
[[nodiscard]] std::optional<std::string> bytes_of_hex(std::string_view hex);

/// SHA-256, hexadecimal.
[[nodiscard]] std::string digest_of(std::string_view text);

}  // namespace gantry::chat_aide
