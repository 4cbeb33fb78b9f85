// SPDX-License-Identifier: Apache-2.0
#include "json_object.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "text.hpp"

namespace gantry::observation {
namespace {

/// Python prints numbers from 1e16 and below 1e-4 with an exponent.
constexpr double kFixedLeast = 1e-4;
constexpr double kFixedMost = 1e16;

/// Bytes that stand for themselves.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool is_plain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

void append_unit(TextBuffer& out, unsigned unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::array<char, 6> text{'\\',
                                 'u',
                                 kHex[unit >> 12U],
                                 kHex[(unit >> 8U) & 0xFU],
                                 kHex[(unit >> 4U) & 0xFU],
                                 kHex[unit & 0xFU]};
  out.put({text.data(), text.size()});
}

void append_escape(TextBuffer& out, char32_t c) {
  switch (c) {
    case U'"': return out.put("\\\"");
    case U'\\': return out.put("\\\\");
    case U'\n': return out.put("\\n");
    case U'\r': return out.put("\\r");
    case U'\t': return out.put("\\t");
    default: break;
  }
  if (c < 0x10000) return append_unit(out, static_cast<unsigned>(c));
  const auto offset = static_cast<unsigned>(c) - 0x10000U;
  append_unit(out, 0xD800U + (offset >> 10U));
  append_unit(out, 0xDC00U + (offset & 0x3FFU));
}

/// Takes off what needs no escape at the front of `text`.
std::string_view take_plain(std::string_view& text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), is_plain);
  const std::string_view plain = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(plain.size());
  return plain;
}

/// Appends what begins with something that is not plain; cleaned as a whole, since sequences must
/// not be cut in two.
void append_escaped(TextBuffer& out, std::string_view text) {
  const std::string clean = strip_terminal_controls(text);
  text = clean;
  while (true) {
    out.put(take_plain(text));
    if (text.empty()) return;
    append_escape(out, take_code_point(text));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  out += take_plain(text);
  if (!text.empty()) {  // few are
    TextBuffer rest(2 * text.size());
    append_escaped(rest, text);
    out += rest.view();
  }
  out.push_back('"');
}

void append_json_string(TextBuffer& out, std::string_view text) {
  out.put('"');
  out.put(take_plain(text));
  if (!text.empty()) append_escaped(out, text);
  out.put('"');
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

void append_json_integer(std::string& out, std::int64_t value) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void append_json_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const double size = std::abs(value);
  const bool fixed = size == 0 || (size >= kFixedLeast && size < kFixedMost);
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view text(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
  out += text;
  if (fixed && text.find('.') == std::string_view::npos) out += ".0";
}

void JsonObject::add(std::string_view name, std::string_view value) {
  std::string text;
  append_json_string(text, value);
  add(name, RawJson{std::move(text)});
}

void JsonObject::add(std::string_view name, bool value) {
  add(name, RawJson{value ? "true" : "false"});
}

void JsonObject::add(std::string_view name, double value) {
  std::string text;
  append_json_number(text, value);
  add(name, RawJson{std::move(text)});
}

void JsonObject::add(std::string_view name, std::nullptr_t) { add(name, RawJson{"null"}); }

void JsonObject::add(std::string_view name, RawJson value) {
  members_.emplace_back(name, std::move(value.text));
}

void JsonObject::add_all(const JsonObject& other) {
  for (const auto& [name, value] : other.members_) add(name, RawJson{value});
}

std::string JsonObject::text() const {
  std::vector<const Member*> order;
  order.reserve(members_.size());
  std::size_t size = 2;
  for (const Member& member : members_) {
    order.push_back(&member);
    size += member.first.size() + member.second.size() + 4;
  }
  // Those of one name in the order they came in: the last one counts.
  std::sort(order.begin(), order.end(), [](const Member* one, const Member* other) {
    const int names = one->first.compare(other->first);
    return names != 0 ? names < 0 : one < other;
  });
  std::string out;
  out.reserve(size);
  out.push_back('{');
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [name, value] = *order[i];
    if (i + 1 < order.size() && order[i + 1]->first == name) continue;
    if (out.size() > 1) out.push_back(',');
    out.push_back('"');
    out += name;
    out += "\":";
    out += value;
  }
  out.push_back('}');
  return out;
}

void JsonArray::add(std::string_view value) {
  std::string text;
  append_json_string(text, value);
  add_raw(text);
}

void JsonArray::add(std::int64_t value) {
  std::string text;
  append_json_integer(text, value);
  add_raw(text);
}

void JsonArray::add_raw(std::string_view json) {
  if (!elements_.empty()) elements_.push_back(',');
  elements_ += json;
}

}  // namespace gantry::observation
