// SPDX-License-Identifier: Apache-2.0
#include "audit_line.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <set>

#include "lower_ascii.hpp"

namespace gantry::guard {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxValue = 200;  // characters, then "…"
constexpr std::string_view kRedacted = "<redacted>";
constexpr std::string_view kAlwaysSecret[] = {"confirm_token", "token", "secret",    "secrets",
                                              "passwd",        "pwd",   "passphrase"};
constexpr std::string_view kTyped[] = {"text", "value", "keys", "option_name"};

class Secrets {
 public:
  Secrets(const std::vector<std::string>& keys, bool typed_is_secret) {
    for (const std::string& key : keys) keys_.insert(lower_ascii(key));
    for (const std::string_view key : kAlwaysSecret) keys_.insert(std::string(key));
    if (!typed_is_secret) return;
    for (const std::string_view key : kTyped) keys_.insert(std::string(key));
  }
  [[nodiscard]] bool hides(std::string_view key) const { return keys_.contains(lower_ascii(key)); }

  /// Replaces what must not be written in `value` and notes where it was.
  void redact(json::value& value, const std::string& path, std::vector<std::string>& where) const {
    if (value.is_object()) {
      for (auto& [key, member] : value.get_object()) {
        const std::string inner = path + '.' + std::string(key);
        if (hides(key)) {
          member = kRedacted;
          where.push_back(inner);
        } else {
          redact(member, inner, where);
        }
      }
    } else if (value.is_array()) {
      std::size_t index = 0;
      for (json::value& element : value.get_array()) {
        redact(element, fmt::format("{}[{}]", path, index++), where);
      }
    }
  }

 private:
  std::set<std::string> keys_;
};

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7F && c != '"' && c != '=' && c != '\\' && c != ',' && c != '[' &&
           c != ']';
  });
}

/// "args.steps[0].text"
bool is_path(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '.' || c == '[' || c == ']' || c == '-';
  });
}

/// The first `limit` bytes without a torn character.
std::string_view head(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

/// A token that stands for itself, else ASCII JSON.
std::string field(std::string_view text) {
  const bool cut = text.size() > kMaxValue;
  const std::string_view shown = head(text, kMaxValue);
  if (is_plain(text) && !cut) return std::string(text);
  std::string out = "\"";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else if (byte >= 0x80) {
      // Also line separators and bidi controls: whoever reads the log sees bytes, not effects.
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out.push_back(c);
    }
  }
  return out + (cut ? "...\"" : "\"");
}

std::string text_of(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

/// Appends " args.k=v" for every argument; the names of what is missing go to `hidden`.
void append_arguments(std::string& line, const GuardSettleRequest& call, const Secrets& secrets,
                      std::vector<std::string>& hidden) {
  json::error_code broken;
  json::value arguments = json::parse(call.arguments.text, broken);
  if (broken || !arguments.is_object()) return;
  for (auto& [key, value] : arguments.get_object()) {
    const std::string name = "args." + std::string(key);
    if (secrets.hides(key)) {
      hidden.push_back(name);
      continue;
    }
    secrets.redact(value, name, hidden);
    const bool named = is_plain(name);
    line += ' ' + (named ? name : "args." + field(key)) + '=' + field(text_of(value));
  }
}

std::string iso_time(std::int64_t wall_ns) {
  const std::int64_t ms = wall_ns / 1'000'000;
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}+00:00", fmt::gmtime(seconds), ms % 1000);
}

}  // namespace

std::string audit_line(const GuardSettleRequest& call, const std::vector<std::string>& redact_keys,
                       std::int64_t wall_ns) {
  std::string line = iso_time(wall_ns);
  line += call.step > 0 ? fmt::format(" step={}", call.step) : std::string(" step=?");
  line += " caller=" + field(call.caller.empty() ? "unknown" : call.caller);
  line += " tool=" + field(call.tool);
  line += call.ok ? " ok=true" : " ok=false";
  if (!call.error_code.empty()) line += " error=" + field(call.error_code);
  if (call.changed) line += *call.changed ? " changed=true" : " changed=false";
  std::vector<std::string> hidden;
  append_arguments(line, call, Secrets(redact_keys, call.secret), hidden);
  if (hidden.empty()) return line;
  line += " redactions=[";
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (i > 0) line += ',';
    line += is_path(hidden[i]) ? hidden[i] : field(hidden[i]);
  }
  return line + ']';
}

}  // namespace gantry::guard
