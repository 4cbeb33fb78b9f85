// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes of a page as UTF-8. Pure. Sources: WHATWG Encoding (labels), WHATWG HTML ("determining the
// character encoding").

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::web {

struct Converted {
  std::string text;       // valid UTF-8
  std::string charset;    // what it was read as: "utf-8", "windows-1252", …
  std::size_t wrong = 0;  // bytes that mean nothing there; each is U+FFFD
};

/// `declared` is what the server says, may be empty or no charset at all; then a mark in front, a
/// <meta> at the beginning of HTML, UTF-8 when it fits, and windows-1252 count, in this order (the
/// mark even before what the server says).
[[nodiscard]] Converted to_utf8(std::string_view bytes, std::string_view declared, bool html);

}  // namespace gantry::web
