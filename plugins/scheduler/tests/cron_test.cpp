// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "cron.hpp"

namespace gantry::scheduler {
namespace {

WallTime wall(int year, unsigned month, unsigned day, int hour, int minute, int second = 0) {
  const std::chrono::sys_days date{std::chrono::year(year) / std::chrono::month(month) /
                                   std::chrono::day(day)};
  return std::int64_t{date.time_since_epoch().count()} * 86'400 + hour * 3600 + minute * 60 +
         second;
}

std::string wall_text(WallTime at) {
  const std::chrono::sys_days date{std::chrono::floor<std::chrono::days>(std::chrono::seconds(at))};
  const std::chrono::year_month_day day(date);
  const std::int64_t in_day = at - std::int64_t{date.time_since_epoch().count()} * 86'400;
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d", int(day.year()),
                unsigned(day.month()), unsigned(day.day()), int(in_day / 3600),
                int(in_day / 60 % 60), int(in_day % 60));
  return text;
}

struct CronCase {
  const char* expression;
  std::vector<std::string> next;  // from Wednesday 2026-01-14 10:20:30 on
};

const CronCase kCronCases[] = {
    {"* * * * *", {"2026-01-14 10:21:00", "2026-01-14 10:22:00"}},
    {"* * * * * *", {"2026-01-14 10:20:31", "2026-01-14 10:20:32"}},
    {"*/15 * * * *", {"2026-01-14 10:30:00", "2026-01-14 10:45:00", "2026-01-14 11:00:00"}},
    {"30 */20 10 * * *", {"2026-01-14 10:40:30", "2026-01-15 10:00:30"}},
    {"20 10 * * *", {"2026-01-15 10:20:00"}},
    {"21 10 * * *", {"2026-01-14 10:21:00"}},
    {"5,35 9-10 * * *", {"2026-01-14 10:35:00", "2026-01-15 09:05:00"}},
    {"10-30/10 8 * * *", {"2026-01-15 08:10:00", "2026-01-15 08:20:00", "2026-01-15 08:30:00"}},
    {"50/5 23 * * *", {"2026-01-14 23:50:00", "2026-01-14 23:55:00", "2026-01-15 23:50:00"}},
    {"0 9 * * MON-FRI", {"2026-01-15 09:00:00", "2026-01-16 09:00:00", "2026-01-19 09:00:00"}},
    {"0 9 * * mon,3", {"2026-01-19 09:00:00", "2026-01-21 09:00:00"}},
    {"0 9 * * 7", {"2026-01-18 09:00:00"}},
    {"0 9 * * 0", {"2026-01-18 09:00:00"}},
    {"0 9 * * 5-7", {"2026-01-16 09:00:00", "2026-01-17 09:00:00", "2026-01-18 09:00:00"}},
    {"0 9 * * */2", {"2026-01-15 09:00:00", "2026-01-17 09:00:00", "2026-01-18 09:00:00"}},
    {"0 9 1 * *", {"2026-02-01 09:00:00", "2026-03-01 09:00:00"}},
    {"0 9 31 * *", {"2026-01-31 09:00:00", "2026-03-31 09:00:00", "2026-05-31 09:00:00"}},
    {"0 9 15 FEB,apr *", {"2026-02-15 09:00:00", "2026-04-15 09:00:00", "2027-02-15 09:00:00"}},
    {"0 9 20 1/3 *", {"2026-01-20 09:00:00", "2026-04-20 09:00:00", "2026-07-20 09:00:00"}},
    // Either day fits when both are named, both must when one begins with a star.
    {"0 9 20 * FRI", {"2026-01-16 09:00:00", "2026-01-20 09:00:00", "2026-01-23 09:00:00"}},
    {"0 9 */2 * FRI", {"2026-01-23 09:00:00", "2026-02-13 09:00:00"}},
    {"0 9 ? * FRI", {"2026-01-16 09:00:00", "2026-01-23 09:00:00"}},
    {"0 9 L * *", {"2026-01-31 09:00:00", "2026-02-28 09:00:00", "2026-03-31 09:00:00"}},
    {"0 9 L-2 * *", {"2026-01-29 09:00:00", "2026-02-26 09:00:00"}},
    {"0 9 LW * *", {"2026-01-30 09:00:00", "2026-02-27 09:00:00", "2026-03-31 09:00:00"}},
    {"0 9 15W * *", {"2026-01-15 09:00:00", "2026-02-16 09:00:00", "2026-03-16 09:00:00"}},
    {"0 9 1W 8 *", {"2026-08-03 09:00:00"}},  // the first is a Saturday: not into July
    {"0 9 31W * *", {"2026-01-30 09:00:00", "2026-03-31 09:00:00"}},
    {"0 9 * * FRI#2", {"2026-02-13 09:00:00", "2026-03-13 09:00:00", "2026-04-10 09:00:00"}},
    {"0 9 * * 5L", {"2026-01-30 09:00:00", "2026-02-27 09:00:00"}},
    {"0 0 29 2 *", {"2028-02-29 00:00:00", "2032-02-29 00:00:00"}},
    {"0 0 * 2 1#5", {"2044-02-29 00:00:00"}},  // Mondays, five of them in February
    {"@hourly", {"2026-01-14 11:00:00"}},
    {"@daily", {"2026-01-15 00:00:00"}},
    {"@Weekly", {"2026-01-18 00:00:00"}},
    {"@monthly", {"2026-02-01 00:00:00"}},
    {"@yearly", {"2027-01-01 00:00:00"}},
    {"\t0  9\t* * * ", {"2026-01-15 09:00:00"}},
    {"0 0 31 2 *", {}},
    {"0 0 30,31 FEB *", {}},
    {"0 0 31 4,6,9,11 *", {}},
};

TEST_CASE("cron expressions come true when they say") {
  for (const CronCase& test : kCronCases) {
    INFO(test.expression);
    const Result<CronExpression> expression = CronExpression::parse(test.expression);
    REQUIRE(expression.ok());
    WallTime at = wall(2026, 1, 14, 10, 20, 30);
    for (const std::string& expected : test.next) {
      const std::optional<WallTime> next = expression->next(at);
      REQUIRE(next);
      CHECK(wall_text(*next) == expected);
      at = *next;
    }
    if (test.next.empty()) CHECK_FALSE(expression->next(at));
  }
}

TEST_CASE("what is no cron expression is refused with the field that is wrong") {
  struct Wrong {
    const char* expression;
    const char* words;  // of the message
  };
  const Wrong cases[] = {
      {"", "has 5 fields"},
      {"* * * *", "not 4"},
      {"* * * * * * *", "not 7"},
      {"60 * * * *", "minute"},
      {"60 * * * * *", "second"},
      {"* 24 * * *", "hour"},
      {"* * 0 * *", "day of month"},
      {"* * 32 * *", "day of month"},
      {"* * * 13 *", "month"},
      {"* * * 0 *", "month"},
      {"* * * * 8", "day of week"},
      {"* * * * MONDAY", "day of week"},
      {"*/0 * * * *", "minute"},
      {"*/61 * * * *", "minute"},
      {"5-1 * * * *", "minute"},
      {"1, * * * *", "minute"},
      {",1 * * * *", "minute"},
      {"1--2 * * * *", "minute"},
      {"1-2-3 * * * *", "minute"},
      {"-1 * * * *", "minute"},
      {"+1 * * * *", "minute"},
      {"1.5 * * * *", "minute"},
      {"99999999999999999999 * * * *", "minute"},
      {"*5 * * * *", "minute"},
      {"* * L-31 * *", "day of month"},
      {"* * 0W * *", "day of month"},
      {"* * W * *", "day of month"},
      {"* * * * FRI#6", "day of week"},
      {"* * * * FRI#0", "day of week"},
      {"* * * * #2", "day of week"},
      {"* * * * L", "day of week"},
      {"@reboot", "@hourly"},
      {"@daily @daily", "not 2"},
      {"0 9 * * FRI-MON", "day of week"},
  };
  for (const Wrong& test : cases) {
    INFO(test.expression);
    const Result<CronExpression> expression = CronExpression::parse(test.expression);
    REQUIRE_FALSE(expression.ok());
    CHECK(expression.error().code == Code::InvalidArgument);
    CHECK(expression.error().message.find(test.words) != std::string::npos);
  }
  CHECK_FALSE(CronExpression::parse(std::string(300, ' ') + "* * * * *").ok());
}

TEST_CASE("hours and minutes that are named make a fixed time") {
  CHECK(CronExpression::parse("30 2 * * *")->fixed_time());
  CHECK(CronExpression::parse("* 30 2 * * *")->fixed_time());
  CHECK_FALSE(CronExpression::parse("*/30 2 * * *")->fixed_time());
  CHECK_FALSE(CronExpression::parse("30 * * * *")->fixed_time());
}

TEST_CASE("an expression looks no further than the calendar") {
  const CronExpression expression = CronExpression::parse("* * * * *").value();
  CHECK_FALSE(expression.next(std::numeric_limits<WallTime>::max()));
  CHECK_FALSE(expression.next(std::numeric_limits<WallTime>::min()));
}

}  // namespace
}  // namespace gantry::scheduler
