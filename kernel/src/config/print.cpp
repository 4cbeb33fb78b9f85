// SPDX-License-Identifier: Apache-2.0
// Value trees as text: compact JSON for plugins and tools, block YAML for people.
#include <gantry/utf8.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "config/value.hpp"

namespace gantry::config {
namespace {

constexpr std::string_view kHidden = "***";

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  // A float stays a float when it is read back.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string scalar_json(const Value& value, Redact redact) {
  if (value.secret && redact == Redact::kSecrets && !value.is_null()) {
    return quote_json(kHidden);
  }
  switch (value.kind()) {
    case Kind::kBool: return value.as_bool() ? "true" : "false";
    case Kind::kInt: return std::to_string(value.as_int());
    case Kind::kFloat: return number(value.as_float());
    case Kind::kText: return quote_json(value.as_text());
    case Kind::kNull:
    case Kind::kList:
    case Kind::kMap: break;
  }
  return "null";
}

bool hidden(const Value& value, Redact redact) {
  return value.secret && redact == Redact::kSecrets;
}

void write_json(const Value& value, Redact redact, std::string& out) {
  if (hidden(value, redact) || (!value.is_list() && !value.is_map())) {
    out += hidden(value, redact) && !value.is_null() ? quote_json(kHidden)
                                                     : scalar_json(value, redact);
    return;
  }
  std::string_view separator;
  if (value.is_list()) {
    out += '[';
    for (const auto& item : value.as_list()) {
      out += separator;
      write_json(item, redact, out);
      separator = ",";
    }
    out += ']';
    return;
  }
  out += '{';
  for (const auto& entry : value.as_map()) {
    out += separator;
    out += quote_json(entry.key) + ":";
    write_json(entry.value, redact, out);
    separator = ",";
  }
  out += '}';
}

bool is_plain_key(std::string_view key) {
  if (key.empty() || key.size() > 128) return false;
  const auto first = static_cast<unsigned char>(key.front());
  if (std::isalpha(first) == 0) return false;
  constexpr std::array<std::string_view, 10> kWords{"true", "false", "yes", "no",  "on",
                                                    "off",  "null",  "nan", "inf", "y"};
  for (const auto word : kWords) {
    if (key == word) return false;
  }
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0 && c != '_' && c != '-') return false;
  }
  return true;
}

void write_yaml(const Value& value, Redact redact, int indent, std::string& out) {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  const auto nested = [&](const Value& child) {
    const bool block = !hidden(child, redact) && ((child.is_map() && !child.as_map().empty()) ||
                                                  (child.is_list() && !child.as_list().empty()));
    if (block) {
      out += "\n";
      write_yaml(child, redact, indent + 2, out);
    } else {
      out += " ";
      write_json(child, redact, out);
      out += "\n";
    }
  };
  for (const auto& entry : value.as_map()) {
    out += pad + (is_plain_key(entry.key) ? entry.key : quote_json(entry.key)) + ":";
    nested(entry.value);
  }
  for (const auto& item : value.as_list()) {
    out += pad + "-";
    nested(item);
  }
}

}  // namespace

std::string quote_json(std::string_view text) {
  const auto escape = [](std::string& to, unsigned char code) {
    constexpr std::string_view kHex = "0123456789abcdef";
    to += "\\u00";
    to += kHex[code >> 4U];
    to += kHex[code & 0xfU];
  };
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) {
      const std::size_t length = codec::utf8_length(text.substr(at));
      if (length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0) {
        escape(out, static_cast<unsigned char>(text[at + 1]));  // C1: not YAML as it stands
        at += 2;
        continue;
      }
      // What is not UTF-8 would make the whole document unreadable for its consumer.
      out += length == 0 ? std::string_view("\\ufffd") : text.substr(at, length);
      at += std::max<std::size_t>(length, 1);
      continue;
    }
    ++at;
    switch (byte) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (byte < 0x20 || byte == 0x7f) {
          escape(out, byte);
        } else {
          out += static_cast<char>(byte);
        }
    }
  }
  return out + "\"";
}

std::string to_json(const Value& value, Redact redact) {
  std::string out;
  write_json(value, redact, out);
  return out;
}

std::string to_yaml(const Value& value, Redact redact) {
  const bool block =
      (value.is_map() && !value.as_map().empty()) || (value.is_list() && !value.as_list().empty());
  if (!block || hidden(value, redact)) return to_json(value, redact) + "\n";
  std::string out;
  write_yaml(value, redact, 0, out);
  return out;
}

}  // namespace gantry::config
