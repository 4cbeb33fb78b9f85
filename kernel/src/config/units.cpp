// SPDX-License-Identifier: Apache-2.0
// Durations and sizes as people write them.
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "config/schema.hpp"

namespace gantry::config {
namespace {

struct Unit {
  std::string_view suffix;
  double factor;
};

constexpr std::array kDurations{Unit{"", 1},       Unit{"ms", 1},     Unit{"s", 1e3},
                                Unit{"m", 60e3},   Unit{"min", 60e3}, Unit{"h", 3600e3},
                                Unit{"d", 86400e3}};

constexpr double kKi = 1024;
constexpr std::array kSizes{Unit{"", 1},      Unit{"B", 1},          Unit{"kB", 1e3},
                            Unit{"KB", 1e3},  Unit{"MB", 1e6},       Unit{"GB", 1e9},
                            Unit{"KiB", kKi}, Unit{"MiB", kKi* kKi}, Unit{"GiB", kKi* kKi* kKi}};

template <std::size_t N>
std::optional<std::int64_t> parse_quantity(std::string_view text,
                                           const std::array<Unit, N>& units) {
  double amount = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, amount);
  if (error != std::errc{} || !std::isfinite(amount)) return std::nullopt;
  std::string_view suffix(at, static_cast<std::size_t>(end - at));
  while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
  for (const auto& unit : units) {
    if (unit.suffix != suffix) continue;
    const double scaled = std::round(amount * unit.factor);
    // 2^53: beyond it a double no longer holds every integer.
    constexpr double kExact = 9007199254740992.0;
    if (std::abs(scaled) > kExact) return std::nullopt;
    return static_cast<std::int64_t>(scaled);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  return parse_quantity(text, kDurations);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  return parse_quantity(text, kSizes);
}

}  // namespace gantry::config
