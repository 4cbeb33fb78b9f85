// SPDX-License-Identifier: Apache-2.0
// One record as one line: for people, or as JSON.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "config/value.hpp"
#include "observe/log.hpp"

namespace gantry::observe {
namespace {

constexpr std::string_view kHidden = "***";

std::string timestamp(std::int64_t wall_ns, const char* pattern) {
  const std::time_t seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
  const auto milliseconds = static_cast<int>((wall_ns / 1'000'000) % 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), pattern, &parts);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ", milliseconds);
  return std::string(text.data(), length) + fraction.data();
}

std::string trace_id(const LogRecord& record) {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(record.trace_hi),
                static_cast<unsigned long long>(record.trace_lo));
  return text.data();
}

bool has_trace(const LogRecord& record) { return record.trace_hi != 0 || record.trace_lo != 0; }

// Text from outside must not be able to forge a second line or move the terminal's cursor.
std::string one_line(std::string_view text) {
  const std::string quoted = config::quote_json(text);
  std::string inner = quoted.substr(1, quoted.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const bool escaped_quote = inner[i] == '\\' && i + 1 < inner.size() && inner[i + 1] == '"';
    if (!escaped_quote) out += inner[i];
  }
  return out;
}

std::string console_value(std::string_view value) {
  const bool plain = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != '"' && c != '=' && c != '\\' && c != 0x7f;
  });
  return plain ? std::string(value) : config::quote_json(value);
}

std::string console_line(const LogRecord& record) {
  std::string level(level_name(record.level));
  std::transform(level.begin(), level.end(), level.begin(),
                 [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  level.resize(5, ' ');
  std::string line = timestamp(record.wall_ns, "%Y-%m-%dT%H:%M:%S") + " " + level + " " +
                     std::string(record.plugin) + ": " + one_line(record.message);
  for (const auto& field : record.fields) {
    line += " " + std::string(field.key) + "=" +
            (field.secret ? std::string(kHidden) : console_value(field.value));
  }
  if (record.suppressed > 0) line += " suppressed=" + std::to_string(record.suppressed);
  if (has_trace(record)) line += " trace=" + trace_id(record);
  return line;
}

std::string json_line(const LogRecord& record) {
  using config::quote_json;
  std::string line = "{\"time\":\"" + timestamp(record.wall_ns, "%Y-%m-%dT%H:%M:%S") +
                     "\",\"level\":\"" + std::string(level_name(record.level)) +
                     "\",\"plugin\":" + quote_json(record.plugin) +
                     ",\"message\":" + quote_json(record.message);
  if (!record.fields.empty()) {
    line += ",\"fields\":{";
    std::string_view separator;
    for (const auto& field : record.fields) {
      line += separator;
      line += quote_json(field.key) + ":" + quote_json(field.secret ? kHidden : field.value);
      separator = ",";
    }
    line += "}";
  }
  if (record.suppressed > 0) line += ",\"suppressed\":" + std::to_string(record.suppressed);
  if (has_trace(record)) line += ",\"trace\":\"" + trace_id(record) + "\"";
  return line + "}";
}

}  // namespace

std::string format_record(const LogRecord& record, LogFormat format) {
  return format == LogFormat::kJson ? json_line(record) : console_line(record);
}

}  // namespace gantry::observe
