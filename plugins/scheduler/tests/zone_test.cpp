// SPDX-License-Identifier: Apache-2.0
//
// Cron expressions where clocks are changed. Times are of the real rules of the zones.
#include <catch2/catch.hpp>
#include <ctime>
#include <string>
#include <vector>

#include "timing.hpp"
#include "zone.hpp"

namespace gantry::scheduler {
namespace {

/// Seconds since the epoch of a time in UTC, "2026-03-29 01:00".
std::int64_t utc(const std::string& text) {
  std::tm parts{};
  REQUIRE(strptime(text.c_str(), "%Y-%m-%d %H:%M", &parts) != nullptr);
  return timegm(&parts);
}

std::string utc_text(std::int64_t at) {
  std::tm parts{};
  const std::time_t seconds = at;
  gmtime_r(&seconds, &parts);
  char text[32];
  REQUIRE(std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts) != 0);
  return text;
}

struct ZoneCase {
  const char* what;
  const char* zone;
  const char* expression;
  const char* after;              // UTC
  std::vector<std::string> next;  // UTC
};

const ZoneCase kZoneCases[] = {
    {"a fixed time that does not exist comes when the clocks have been moved, once",
     "Europe/Berlin",
     "30 2 * * *",
     "2026-03-27 12:00",
     {"2026-03-28 01:30", "2026-03-29 01:00", "2026-03-30 00:30"}},
    {"several of them come as one",
     "Europe/Berlin",
     "15,45 2 * * *",
     "2026-03-28 12:00",
     {"2026-03-29 01:00", "2026-03-30 00:15", "2026-03-30 00:45"}},
    {"a fixed time that exists twice comes the first time",
     "Europe/Berlin",
     "30 2 * * *",
     "2026-10-24 12:00",
     {"2026-10-25 00:30", "2026-10-26 01:30"}},
    {"also for who looks between the two",
     "Europe/Berlin",
     "30 2 * * *",
     "2026-10-25 01:10",
     {"2026-10-26 01:30"}},
    {"every half hour leaves out what does not exist",
     "Europe/Berlin",
     "*/30 * * * *",
     "2026-03-29 00:10",
     {"2026-03-29 00:30", "2026-03-29 01:00", "2026-03-29 01:30"}},
    {"and comes in both hours that are utc_text as one",
     "Europe/Berlin",
     "*/30 2 * * *",
     "2026-10-24 23:50",
     {"2026-10-25 00:00", "2026-10-25 00:30", "2026-10-25 01:00", "2026-10-25 01:30",
      "2026-10-26 01:00"}},
    {"nine in the morning stays nine in the morning",
     "America/New_York",
     "0 9 * * *",
     "2026-03-07 00:00",
     {"2026-03-07 14:00", "2026-03-08 13:00", "2026-03-09 13:00"}},
    {"half an hour of daylight saving",
     "Australia/Lord_Howe",
     "15 2 * * *",
     "2026-10-02 16:00",
     {"2026-10-03 15:30", "2026-10-04 15:15"}},
    {"a midnight that does not exist",
     "America/Santiago",
     "0 0 * * *",
     "2026-09-05 05:00",
     {"2026-09-06 04:00", "2026-09-07 03:00"}},
    {"a day that does not exist",
     "Pacific/Apia",
     "0 12 * * *",
     "2011-12-29 12:00",
     {"2011-12-29 22:00", "2011-12-30 10:00", "2011-12-30 22:00"}},
    {"a zone with minutes",
     "Asia/Kathmandu",
     "0 0 * * *",
     "2026-01-01 00:00",
     {"2026-01-01 18:15"}},
    {"a zone without changes", "UTC", "30 2 * * *", "2026-03-28 12:00", {"2026-03-29 02:30"}},
};

TEST_CASE("cron expressions keep to the clock of their zone") {
  for (const ZoneCase& test : kZoneCases) {
    INFO(test.what);
    const Result<Zone> zone = Zone::find(test.zone);
    REQUIRE(zone.ok());
    const CronExpression expression = CronExpression::parse(test.expression).value();
    std::int64_t at = utc(test.after);
    for (const std::string& expected : test.next) {
      const std::optional<std::int64_t> next = zone->next(expression, at);
      REQUIRE(next);
      CHECK(utc_text(*next) == expected);
      at = *next;
    }
  }
}

TEST_CASE("zones that there are not are refused") {
  for (const char* name : {"Europe/Nowhere", "europe/berlin", "../../etc/passwd", "/etc/localtime",
                           "Europe", "zone.tab", "Europe/../UTC"}) {
    INFO(name);
    const Result<Zone> zone = Zone::find(name);
    REQUIRE_FALSE(zone.ok());
    CHECK(zone.error().code == Code::InvalidArgument);
  }
  CHECK(Zone::find("").ok());  // this machine's
  CHECK_FALSE(Zone::find(std::string(500, 'a')).ok());
}

Schedule at_time(std::int64_t ms) {
  Schedule schedule;
  schedule.kind = ScheduleKind::At;
  schedule.at_ms = ms;
  return schedule;
}

Schedule every_so(std::int64_t ms, std::int64_t start_ms) {
  Schedule schedule;
  schedule.kind = ScheduleKind::Every;
  schedule.every_ms = ms;
  schedule.start_ms = start_ms;
  return schedule;
}

TEST_CASE("a time comes once, and a grid again and again") {
  const Timing once = Timing::of(at_time(5'000), "UTC", 0).value();
  CHECK(once.next(4'999) == 5'000);
  CHECK_FALSE(once.next(5'000));
  const Timing grid = Timing::of(every_so(2'000, 500), "UTC", 9'000).value();
  CHECK(grid.next(0) == 500);
  CHECK(grid.next(500) == 2'500);
  CHECK(grid.next(2'499) == 2'500);
  CHECK(grid.next(1'000'000) == 1'000'500);
  const Timing from_now = Timing::of(every_so(2'000, 0), "UTC", 9'000).value();
  CHECK(from_now.next(9'000) == 11'000);
  for (const Schedule& wrong :
       {at_time(0), at_time(-1), at_time(999'999'999'999'999), every_so(999, 0), every_so(-1, 0),
        every_so(1'000'000'000'000, 0), every_so(1000, -5)}) {
    const Result<Timing> timing = Timing::of(wrong, "UTC", 0);
    REQUIRE_FALSE(timing.ok());
    CHECK(timing.error().code == Code::InvalidArgument);
  }
}

}  // namespace
}  // namespace gantry::scheduler
