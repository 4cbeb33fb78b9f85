// SPDX-License-Identifier: Apache-2.0
#pragma once

// HTTP/1.1 request heads, strictly. Two readers must agree before a head counts as one: the checks
// here, which refuse everything that two implementations could read differently (RFC 9112 sections
// 2.2, 3, 5, 6.3 and 11.2), and Boost.Beast's parser, which delivers the fields.
// No I/O, no state between calls, any thread.

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

#include "http_types.hpp"
#include "limits.hpp"

namespace gantry::transport {

/// Result of looking at the bytes received so far.
struct HeadScan {
  enum class State : uint8_t { kIncomplete, kComplete, kRefused };
  State state = State::kIncomplete;
  size_t skip = 0;  ///< bytes before the request line (one empty line may precede it, RFC 9112 2.2)
  size_t end = 0;   ///< kComplete: first byte after the head
  Refusal refusal;
};

/// Looks for the end of a head in `input`. Refuses as soon as the bytes cannot become one: bare LF,
/// CR without LF, a method with impossible characters, too many bytes. `from` is where the previous
/// look at the same, shorter input ended; pass 0 at first and then the last input's size.
HeadScan scan_head(std::string_view input, size_t from, const Limits& limits);

/// Parses a complete head, `text` ending with the empty line. On refusal the status is
/// 400, 405, 414, 417, 426, 431, 501 or 505, and `close` is set.
std::variant<RequestHead, Refusal> parse_head(std::string_view text, const Limits& limits);

/// Methods that mounts can be bound to.
bool is_served_method(std::string_view method);

/// Percent-decodes one path segment or query value. nullopt: malformed escape or an encoded NUL.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

}  // namespace gantry::transport
