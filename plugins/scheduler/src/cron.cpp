// SPDX-License-Identifier: Apache-2.0
#include "cron.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <vector>

namespace gantry::scheduler {

namespace {

namespace chrono = std::chrono;
using chrono::sys_days;
using chrono::year_month_day;

constexpr std::size_t kMaxExpression = 256;
constexpr int kMaxDays = 366 * 41;
constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kHourSeconds = 3600;
constexpr std::int64_t kMinuteSeconds = 60;
constexpr WallTime kFirstWall = -kDaySeconds;    // 1969-12-31: a zone west of Greenwich
constexpr WallTime kLastWall = 253'402'300'799;  // 9999-12-31 23:59:59

constexpr std::string_view kMonths[] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                        "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::string_view kWeekdays[] = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

struct Field {
  std::string_view name;
  unsigned low;
  unsigned high;
  std::span<const std::string_view> names;  // of `low` and those after it
};

constexpr Field kSecond{"second", 0, 59, {}};
constexpr Field kMinuteField{"minute", 0, 59, {}};
constexpr Field kHourField{"hour", 0, 23, {}};
constexpr Field kDayOfMonth{"day of month", 1, 31, {}};
const Field kMonth{"month", 1, 12, kMonths};
const Field kDayOfWeek{"day of week", 0, 7, kWeekdays};

struct Shorthand {
  std::string_view name;
  std::string_view expression;
};
constexpr Shorthand kShorthands[] = {
    {"@YEARLY", "0 0 1 1 *"}, {"@ANNUALLY", "0 0 1 1 *"}, {"@MONTHLY", "0 0 1 * *"},
    {"@WEEKLY", "0 0 * * 0"}, {"@DAILY", "0 0 * * *"},    {"@MIDNIGHT", "0 0 * * *"},
    {"@HOURLY", "0 * * * *"},
};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  constexpr std::string_view kSpace = " \t";
  while (true) {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return found;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(kSpace), text.size());
    found.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Error wrong(const Field& field, std::string_view part) {
  std::string names;
  if (!field.names.empty()) {
    names = ", or " + std::string(field.names.front()) + " to " + std::string(field.names.back());
  }
  return invalid_argument("the " + std::string(field.name) + " of the cron expression cannot be '" +
                          std::string(part) + "'; numbers are " + std::to_string(field.low) +
                          " to " + std::to_string(field.high) + names +
                          ", also as 1,2 or 1-5 or */2 or 1-5/2");
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<unsigned> value_of(const Field& field, std::string_view text) {
  const auto name = std::find(field.names.begin(), field.names.end(), text);
  if (name != field.names.end()) {
    return field.low + static_cast<unsigned>(name - field.names.begin());
  }
  const std::optional<unsigned> value = number(text);
  if (!value || *value < field.low || *value > field.high) return std::nullopt;
  return value;
}

struct Steps {
  unsigned first = 0;
  unsigned last = 0;
  unsigned by = 1;
};

/// *, ?, 5, 1-5, any of them with a step.
std::optional<Steps> steps_of(const Field& field, std::string_view part) {
  const unsigned high = field.high == 7 ? 6 : field.high;  // of weekdays Sunday only once
  Steps out{field.low, high, 1};
  const std::size_t slash = part.find('/');
  const std::string_view range = part.substr(0, slash);
  if (slash != std::string_view::npos) {
    const std::optional<unsigned> by = number(part.substr(slash + 1));
    if (!by || *by < 1 || *by > field.high) return std::nullopt;
    out.by = *by;
  }
  if (range == "*" || range == "?") return out;
  const std::size_t dash = range.find('-');
  const std::optional<unsigned> first = value_of(field, range.substr(0, dash));
  if (!first) return std::nullopt;
  out.first = *first;
  out.last = std::max(high, *first);
  if (dash != std::string_view::npos) {
    const std::optional<unsigned> end = value_of(field, range.substr(dash + 1));
    if (!end || *end < *first) return std::nullopt;
    out.last = *end;
  } else if (slash == std::string_view::npos) {
    out.last = *first;
  }
  return out;
}

/// `set(value)` for every value that a part of a field names.
template <class Set>
Result<void> read_part(const Field& field, std::string_view part, Set set) {
  const std::optional<Steps> steps = steps_of(field, part);
  if (!steps) return wrong(field, part);
  for (unsigned value = steps->first; value <= steps->last; value += steps->by) set(value);
  return {};
}

template <std::size_t N>
Result<void> read_field(const Field& field, std::string_view text, std::bitset<N>& out) {
  for (const std::string_view part : split(text, ',')) {
    GANTRY_TRY(read_part(field, part, [&](unsigned value) { out.set(value); }));
  }
  return {};
}

bool begins_with_star(std::string_view text) { return text.front() == '*' || text.front() == '?'; }

unsigned last_day(year_month_day date) {
  return static_cast<unsigned>((date.year() / date.month() / chrono::last).day());
}

unsigned weekday_of(year_month_day date) { return chrono::weekday(sys_days(date)).c_encoding(); }

/// The weekday (Monday to Friday) of the same month that is next to a day of it.
unsigned nearest_weekday(year_month_day date, unsigned wanted) {
  const unsigned end = last_day(date);
  const unsigned target = std::min(wanted, end);
  const unsigned on = weekday_of(date.year() / date.month() / chrono::day(target));
  if (on == 6) return target == 1 ? 3 : target - 1;
  if (on == 0) return target == end ? target - 2 : target + 1;
  return target;
}

}  // namespace

class CronParser {
 public:
  static Result<CronExpression> parse(std::string_view text) {
    if (text.size() > kMaxExpression) return invalid_argument("the cron expression is too long");
    const std::string loud = upper(text);
    std::vector<std::string_view> fields = words(loud);
    if (fields.size() == 1 && fields.front().starts_with('@')) {
      const auto* known = std::find_if(std::begin(kShorthands), std::end(kShorthands),
                                       [&](const auto& one) { return one.name == fields.front(); });
      if (known == std::end(kShorthands)) {
        return invalid_argument("'" + std::string(text) + "' is not known; there are @hourly, " +
                                "@daily, @weekly, @monthly and @yearly");
      }
      fields = words(known->expression);
    }
    if (fields.size() != 5 && fields.size() != 6) {
      return invalid_argument(
          "a cron expression has 5 fields (minute hour day-of-month month "
          "day-of-week) or 6 (second before them), not " +
          std::to_string(fields.size()));
    }
    CronExpression out;
    if (fields.size() == 6) {
      GANTRY_TRY(read_field(kSecond, fields.front(), out.seconds_));
      fields.erase(fields.begin());
    } else {
      out.seconds_.set(0);
    }
    GANTRY_TRY(read_field(kMinuteField, fields[0], out.minutes_));
    GANTRY_TRY(read_field(kHourField, fields[1], out.hours_));
    GANTRY_TRY(read_days(fields[2], out));
    GANTRY_TRY(read_field(kMonth, fields[3], out.months_));
    GANTRY_TRY(read_weekdays(fields[4], out));
    out.fixed_time_ = !begins_with_star(fields[0]) && !begins_with_star(fields[1]);
    return out;
  }

 private:
  static Result<void> read_days(std::string_view text, CronExpression& out) {
    out.any_day_ = begins_with_star(text);
    for (const std::string_view part : split(text, ',')) {
      if (part == "LW") {
        out.last_weekday_ = true;
      } else if (part == "L") {
        out.from_last_.set(0);
      } else if (part.starts_with("L-")) {
        const std::optional<unsigned> back = number(part.substr(2));
        if (!back || *back < 1 || *back > 30) return wrong(kDayOfMonth, part);
        out.from_last_.set(*back);
      } else if (part.size() > 1 && part.ends_with('W')) {
        const auto at = value_of(kDayOfMonth, part.substr(0, part.size() - 1));
        if (!at) return wrong(kDayOfMonth, part);
        out.nearest_weekdays_.set(*at);
      } else {
        GANTRY_TRY(read_part(kDayOfMonth, part, [&](unsigned value) { out.days_.set(value); }));
      }
    }
    return {};
  }

  static Result<void> read_weekdays(std::string_view text, CronExpression& out) {
    out.any_weekday_ = begins_with_star(text);
    for (const std::string_view part : split(text, ',')) {
      const std::size_t hash = part.find('#');
      if (hash != std::string_view::npos) {
        const auto on = value_of(kDayOfWeek, part.substr(0, hash));
        const auto nth = number(part.substr(hash + 1));
        if (!on || !nth || *nth < 1 || *nth > 5) return wrong(kDayOfWeek, part);
        out.nth_of_month_.at(*on % 7).set(*nth);
      } else if (part.size() > 1 && part.ends_with('L')) {
        const auto on = value_of(kDayOfWeek, part.substr(0, part.size() - 1));
        if (!on) return wrong(kDayOfWeek, part);
        out.last_of_month_.set(*on % 7);
      } else {
        GANTRY_TRY(
            read_part(kDayOfWeek, part, [&](unsigned value) { out.weekdays_.set(value % 7); }));
      }
    }
    return {};
  }
};

Result<CronExpression> CronExpression::parse(std::string_view text) {
  return CronParser::parse(text);
}

bool CronExpression::fits_day_of_month(year_month_day date) const {
  const auto on = static_cast<unsigned>(date.day());
  if (days_.test(on)) return true;
  const unsigned end = last_day(date);
  if (from_last_.test(end - on)) return true;
  if (last_weekday_ && nearest_weekday(date, end) == on) return true;
  if (nearest_weekdays_.none()) return false;
  for (unsigned wanted = 1; wanted <= end; ++wanted) {  // the 31st of a short month is no day of it
    if (nearest_weekdays_.test(wanted) && nearest_weekday(date, wanted) == on) return true;
  }
  return false;
}

bool CronExpression::fits_day_of_week(year_month_day date) const {
  const unsigned on = weekday_of(date);
  if (weekdays_.test(on)) return true;
  const auto in_month = static_cast<unsigned>(date.day());
  if (last_of_month_.test(on) && in_month + 7 > last_day(date)) return true;
  return nth_of_month_.at(on).test((in_month - 1) / 7 + 1);
}

bool CronExpression::fits_day(year_month_day date) const {
  if (any_day_ || any_weekday_) return fits_day_of_month(date) && fits_day_of_week(date);
  return fits_day_of_month(date) || fits_day_of_week(date);
}

/// The first second of a day from `from` on that fits.
std::optional<std::int64_t> CronExpression::next_in_day(std::int64_t from) const {
  for (std::int64_t hour = from / kHourSeconds; hour < 24; ++hour) {
    if (!hours_.test(static_cast<std::size_t>(hour))) continue;
    const std::int64_t in_hour = std::max<std::int64_t>(from - hour * kHourSeconds, 0);
    for (std::int64_t minute = in_hour / kMinuteSeconds; minute < 60; ++minute) {
      if (!minutes_.test(static_cast<std::size_t>(minute))) continue;
      for (std::int64_t second = std::max<std::int64_t>(in_hour - minute * kMinuteSeconds, 0);
           second < 60; ++second) {
        if (!seconds_.test(static_cast<std::size_t>(second))) continue;
        return hour * kHourSeconds + minute * kMinuteSeconds + second;
      }
    }
  }
  return std::nullopt;
}

std::optional<WallTime> CronExpression::next(WallTime after) const {
  if (after < kFirstWall || after > kLastWall) return std::nullopt;
  const chrono::seconds from(after + 1);
  chrono::days at = chrono::floor<chrono::days>(from);
  std::int64_t second = (from - at).count();
  const chrono::days end = at + chrono::days(kMaxDays);
  while (at < end) {
    const year_month_day date{sys_days(at)};
    if (!months_.test(static_cast<unsigned>(date.month()))) {
      at = sys_days((date.year() / date.month() + chrono::months(1)) / chrono::day(1))
               .time_since_epoch();
    } else {
      if (fits_day(date)) {
        const std::optional<std::int64_t> found = next_in_day(second);
        if (found) return at.count() * kDaySeconds + *found;
      }
      at += chrono::days(1);
    }
    second = 0;
  }
  return std::nullopt;
}

}  // namespace gantry::scheduler
