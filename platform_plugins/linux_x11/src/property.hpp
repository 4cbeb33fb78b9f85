// SPDX-License-Identifier: Apache-2.0
//
// Window properties: asked for in bulk, decoded when the replies are there.
#pragma once

#include "session.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::x11 {

/// Sends the request for a property of any type, at most `max_bytes` of it.
xcb_get_property_cookie_t ask_property(const Session& session, xcb_window_t window, Atom name,
                                       std::uint32_t max_bytes = 4096);

/// A property as it arrived; missing and unreadable ones are empty.
class Property {
 public:
  Property() = default;
  /// Waits for the reply. [may block: one round trip]
  static Property take(const Session& session, xcb_get_property_cookie_t cookie);

  [[nodiscard]] bool present() const { return reply_ && reply_->type != XCB_NONE; }
  [[nodiscard]] xcb_atom_t type() const { return reply_ ? reply_->type : XCB_NONE; }
  /// Elements of a 32-bit property; none when it has another format.
  [[nodiscard]] std::span<const std::uint32_t> words() const;
  [[nodiscard]] std::uint32_t word(std::size_t index, std::uint32_t otherwise = 0) const;
  [[nodiscard]] bool has_word(std::uint32_t word) const;
  [[nodiscard]] std::string_view bytes() const;
  /// Text as valid UTF-8: UTF8_STRING as it is, STRING as Latin-1, COMPOUND_TEXT by its segments.
  [[nodiscard]] std::string text(const Session& session) const;

 private:
  Owned<xcb_get_property_reply_t> reply_;
};

/// Replaces what is not UTF-8 by U+FFFD and drops a trailing NUL.
std::string valid_utf8(std::string_view bytes);
std::string latin1_to_utf8(std::string_view bytes);
/// The UTF-8 (ESC % G) and Latin-1 segments of COMPOUND_TEXT; other sets become U+FFFD.
std::string compound_text_to_utf8(std::string_view bytes);
void append_utf8(std::string& out, char32_t code_point);

/// Code points of UTF-8 text. Errors: invalid_argument with the byte offset of what is malformed.
Result<std::u32string> code_points(std::string_view utf8);

}  // namespace gantry::x11
