// SPDX-License-Identifier: Apache-2.0
#include "ascii_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

namespace gantry::rest_observer {
namespace {

namespace json = boost::json;

/// The code point at the front of `text`, which is not ASCII, and its length; U+FFFD for bad bytes.
struct Wide {
  char32_t code = 0xFFFD;
  std::size_t length = 1;
};
Wide decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return {};
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[length] || surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

void write_unit(std::string& out, unsigned unit) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit);
}

void write_string(std::string& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(text.front());
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20) {
      write_unit(out, c);
    } else if (c < 0x80) {
      out.push_back(text.front());
    } else {
      const Wide wide = decode(text);
      length = wide.length;
      const auto code = static_cast<unsigned>(wide.code);
      if (code < 0x10000) {
        write_unit(out, code);
      } else {
        write_unit(out, 0xD800U + ((code - 0x10000U) >> 10U));
        write_unit(out, 0xDC00U + (code & 0x3FFU));
      }
    }
    text.remove_prefix(length);
  }
  out.push_back('"');
}

void write_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const std::string text = fmt::format("{}", value);
  out += text;
  if (text.find_first_of(".e") == std::string::npos) out += ".0";
}

void write(std::string& out, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: out += "null"; break;
    case json::kind::bool_: out += value.get_bool() ? "true" : "false"; break;
    case json::kind::int64: out += std::to_string(value.get_int64()); break;
    case json::kind::uint64: out += std::to_string(value.get_uint64()); break;
    case json::kind::double_: write_number(out, value.get_double()); break;
    case json::kind::string:
      write_string(out, {value.get_string().data(), value.get_string().size()});
      break;
    case json::kind::array: {
      out.push_back('[');
      const json::array& elements = value.get_array();
      for (const json::value& element : elements) {
        if (&element != &elements.front()) out.push_back(',');
        write(out, element);
      }
      out.push_back(']');
      break;
    }
    case json::kind::object: {
      std::vector<const json::key_value_pair*> members;
      for (const auto& member : value.get_object()) members.push_back(&member);
      std::sort(members.begin(), members.end(),
                [](const auto* a, const auto* b) { return a->key() < b->key(); });
      out.push_back('{');
      for (const auto* member : members) {
        if (member != members.front()) out.push_back(',');
        write_string(out, {member->key().data(), member->key().size()});
        out.push_back(':');
        write(out, member->value());
      }
      out.push_back('}');
      break;
    }
  }
}

}  // namespace

std::string ascii_json(const json::value& value) {
  std::string out;
  write(out, value);
  return out;
}

}  // namespace gantry::rest_observer
