// SPDX-License-Identifier: Apache-2.0
#include "zone.hpp"

#include <date/tz.h>

#include <exception>
#include <limits>
#include <utility>

namespace gantry::scheduler {
namespace {

using date::local_seconds;
using date::sys_seconds;
using std::chrono::seconds;

constexpr std::size_t kMaxZoneName = 64;
constexpr int kMaxChanges = 400;  // of the clocks, in the years that an expression looks ahead

WallTime wall_at(sys_seconds at, const date::sys_info& info) {
  return (at.time_since_epoch() + info.offset).count();
}

const date::time_zone* locate(std::string_view name) {
  return name.empty() ? date::current_zone() : date::locate_zone(std::string(name));
}

}  // namespace

Result<Zone> Zone::find(std::string_view name) {
  // The library opens a file of this name.
  const bool plain = name.size() <= kMaxZoneName && name.find("..") == std::string_view::npos &&
                     !name.starts_with('/');
  try {
    (void)date::get_tzdb();
  } catch (const std::exception& failure) {
    return unavailable(std::string("the time zones cannot be read: ") + failure.what(),
                       "install the package tzdata");
  }
  try {
    if (plain) {
      const date::time_zone* zone = locate(name);
      (void)zone->get_info(sys_seconds{});  // reads its file
      return Zone(zone, zone->name());
    }
  } catch (const std::exception&) {  // answered below: the library throws for names it has not
  }
  return invalid_argument("there is no time zone '" + std::string(name.substr(0, kMaxZoneName)) +
                          "'; name one as Europe/Berlin or UTC");
}

std::optional<std::int64_t> Zone::next(const CronExpression& expression, std::int64_t after) const {
  return expression.fixed_time() ? next_fixed(expression, after) : next_shown(expression, after);
}

std::optional<std::int64_t> Zone::next_fixed(const CronExpression& expression,
                                             std::int64_t after) const {
  const sys_seconds from{seconds(after)};
  WallTime wall = wall_at(from, zone_->get_info(from));
  while (const std::optional<WallTime> candidate = expression.next(wall)) {
    wall = *candidate;
    const local_seconds local{seconds(wall)};
    const date::local_info info = zone_->get_info(local);
    const seconds at = info.result == date::local_info::nonexistent
                           ? info.first.end.time_since_epoch()
                           : local.time_since_epoch() - info.first.offset;
    if (at.count() > after) return at.count();
  }
  return std::nullopt;
}

/// From one change of the clocks to the next the wall clock runs evenly.
std::optional<std::int64_t> Zone::next_shown(const CronExpression& expression,
                                             std::int64_t after) const {
  sys_seconds from{seconds(after)};
  for (int change = 0; change < kMaxChanges; ++change) {
    const date::sys_info info = zone_->get_info(from + seconds(1));
    const std::optional<WallTime> wall = expression.next(wall_at(from, info));
    if (!wall) return std::nullopt;
    const sys_seconds at{seconds(*wall) - info.offset};
    if (at < info.end) return at.time_since_epoch().count();
    from = info.end - seconds(1);
  }
  return std::nullopt;
}

}  // namespace gantry::scheduler
