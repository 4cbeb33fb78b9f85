// SPDX-License-Identifier: Apache-2.0
//
// Wall-clock times as JSON protocols write them. Pure.
#pragma once

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

namespace gantry {

/// 2026-03-03T16:00:00.000Z, of milliseconds since 1970.
inline std::string iso_time_of(std::int64_t at_ms) {
  const std::int64_t rest = ((at_ms % 1000) + 1000) % 1000;
  const auto seconds = static_cast<std::time_t>((at_ms - rest) / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(rest));
  return text;
}

}  // namespace gantry
