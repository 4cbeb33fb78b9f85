// SPDX-License-Identifier: Apache-2.0
#include "property.hpp"

namespace gantry::x11 {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code_point;
  std::size_t length;  // 0: malformed
};

/// One code point of UTF-8 by the table of Unicode 15, section 3.9 (no overlong forms, no
/// surrogates).
Decoded decode_one(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  char32_t value = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
    value = first & 0x1F;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    value = first & 0x0F;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    value = first & 0x07;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return {kReplacement, 0};
  }
  if (text.size() < length) return {kReplacement, 0};
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) < low || byte(i) > high) return {kReplacement, 0};
    low = 0x80;
    high = 0xBF;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  return {value, length};
}

}  // namespace

xcb_get_property_cookie_t ask_property(const Session& session, xcb_window_t window, Atom name,
                                       std::uint32_t max_bytes) {
  return xcb_get_property(session.xcb(), 0, window, session.atom(name), XCB_GET_PROPERTY_TYPE_ANY,
                          0, (max_bytes + 3) / 4);
}

Property Property::take(const Session& session, xcb_get_property_cookie_t cookie) {
  Property property;
  property.reply_ = fetch_or_null<xcb_get_property_reply>(session.xcb(), cookie);
  return property;
}

std::span<const std::uint32_t> Property::words() const {
  if (!present() || reply_->format != 32) return {};
  return {static_cast<const std::uint32_t*>(xcb_get_property_value(reply_.get())),
          reply_->value_len};
}

std::uint32_t Property::word(std::size_t index, std::uint32_t otherwise) const {
  const auto all = words();
  return index < all.size() ? all[index] : otherwise;
}

bool Property::has_word(std::uint32_t word) const {
  const auto all = words();
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::string_view Property::bytes() const {
  if (!present()) return {};
  return {static_cast<const char*>(xcb_get_property_value(reply_.get())),
          static_cast<std::size_t>(xcb_get_property_value_length(reply_.get()))};
}

std::string Property::text(const Session& session) const {
  if (!present() || reply_->format != 8) return {};
  if (type() == session.atom(Atom::Utf8String)) return valid_utf8(bytes());
  if (type() == session.atom(Atom::CompoundText)) return compound_text_to_utf8(bytes());
  return latin1_to_utf8(bytes());
}

std::string valid_utf8(std::string_view bytes) {
  while (!bytes.empty() && bytes.back() == '\0') bytes.remove_suffix(1);
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Decoded one = decode_one(bytes);
    append_utf8(out, one.code_point);
    bytes.remove_prefix(std::max<std::size_t>(one.length, 1));
  }
  return out;
}

std::string latin1_to_utf8(std::string_view bytes) {
  while (!bytes.empty() && bytes.back() == '\0') bytes.remove_suffix(1);
  std::string out;
  for (const char c : bytes) append_utf8(out, static_cast<std::uint8_t>(c));
  return out;
}

std::string compound_text_to_utf8(std::string_view bytes) {
  constexpr std::string_view kUtf8Begin = "\x1b%G";
  constexpr std::string_view kUtf8End = "\x1b%@";
  std::string out;
  while (!bytes.empty()) {
    if (bytes.starts_with(kUtf8Begin)) {
      bytes.remove_prefix(kUtf8Begin.size());
      const std::size_t end = std::min(bytes.find(kUtf8End), bytes.size());
      out += valid_utf8(bytes.substr(0, end));
      bytes.remove_prefix(std::min(end + kUtf8End.size(), bytes.size()));
    } else if (bytes.front() == '\x1b') {
      // ISO 2022 designation: ESC, intermediates 0x20..0x2f, one final byte. ESC ( B, ) B and - A
      // keep ASCII and Latin-1; any other set cannot be shown without its table.
      std::size_t length = 1;
      while (length < bytes.size() && bytes[length] >= 0x20 && bytes[length] <= 0x2f) ++length;
      const std::string_view designation = bytes.substr(1, length);
      if (designation != "(B" && designation != ")B" && designation != "-A")
        append_utf8(out, kReplacement);
      bytes.remove_prefix(std::min(length + 1, bytes.size()));
    } else {
      append_utf8(out, static_cast<std::uint8_t>(bytes.front()));
      bytes.remove_prefix(1);
    }
  }
  return out;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) {
    out += static_cast<char>(static_cast<std::uint8_t>(byte));
  };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

Result<std::u32string> code_points(std::string_view utf8) {
  std::u32string out;
  out.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded one = decode_one(utf8.substr(at));
    if (one.length == 0) {
      return invalid_argument("the text is not UTF-8: byte " + std::to_string(at) +
                              " is malformed");
    }
    out += one.code_point;
    at += one.length;
  }
  return out;
}

}  // namespace gantry::x11
