// SPDX-License-Identifier: Apache-2.0
//
// Cron expressions, on a wall clock without a zone. Pure functions.
//
// Five fields (minute hour day-of-month month day-of-week) or six (second before them); `*`, `?`,
// lists, ranges, steps, names of months and weekdays, 7 for Sunday. Days also as L (the last), 15W
// (the weekday next to the 15th), LW, L-3, FRI#2 (the second Friday), FRIL (the last Friday). As in
// Vixie cron a day fits when the day of the month or that of the week does, unless one of the two
// fields begins with *: then both must.
#pragma once

#include <gantry/result.hpp>

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::scheduler {

/// What a wall clock shows: seconds since it showed 1970-01-01 00:00:00.
using WallTime = std::int64_t;

class CronExpression {
 public:
  /// Errors: invalid_argument, with the field and what may stand there.
  static Result<CronExpression> parse(std::string_view text);

  /// The first time after `after` that fits; nothing when there is none in the next 41 years (a
  /// fifth Monday of February may be 40 years away).
  [[nodiscard]] std::optional<WallTime> next(WallTime after) const;

  /// Hours and minutes are named. Such jobs run once at a change of the clocks, others whenever the
  /// clock shows a time that fits.
  [[nodiscard]] bool fixed_time() const { return fixed_time_; }

 private:
  friend class CronParser;

  [[nodiscard]] bool fits_day(std::chrono::year_month_day day) const;
  [[nodiscard]] bool fits_day_of_month(std::chrono::year_month_day day) const;
  [[nodiscard]] bool fits_day_of_week(std::chrono::year_month_day day) const;
  [[nodiscard]] std::optional<std::int64_t> next_in_day(std::int64_t from) const;

  std::bitset<60> seconds_;
  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;                        // 1 to 31
  std::bitset<32> nearest_weekdays_;            // 15W
  std::bitset<32> from_last_;                   // L is 0, L-3 is 3
  bool last_weekday_ = false;                   // LW
  std::bitset<13> months_;                      // 1 to 12
  std::bitset<7> weekdays_;                     // Sunday is 0
  std::bitset<7> last_of_month_;                // FRIL
  std::array<std::bitset<6>, 7> nth_of_month_;  // FRI#2
  bool any_day_ = false;                        // the field begins with *
  bool any_weekday_ = false;
  bool fixed_time_ = true;
};

}  // namespace gantry::scheduler
