// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

namespace gantry::scheduler {
namespace {

constexpr std::int64_t kLastMs = 253'402'300'799'000;  // 9999-12-31
constexpr std::int64_t kLeastEveryMs = 1000;
constexpr std::int64_t kMostEveryMs = 10LL * 366 * 86'400'000;  // ten years
constexpr std::int64_t kMsInSecond = 1000;

/// Rounds down, also before 1970.
std::int64_t whole_seconds(std::int64_t ms) {
  return ms / kMsInSecond - (ms % kMsInSecond < 0 ? 1 : 0);
}

}  // namespace

Result<Timing> Timing::of(const Schedule& schedule, const std::string& default_zone,
                          std::int64_t created_ms) {
  Timing out;
  out.kind_ = schedule.kind;
  switch (schedule.kind) {
    case ScheduleKind::At:
      if (schedule.at_ms <= 0 || schedule.at_ms > kLastMs) {
        return invalid_argument("at_ms of the schedule is no time; give milliseconds since 1970");
      }
      out.start_ms_ = schedule.at_ms;
      break;
    case ScheduleKind::Every:
      if (schedule.every_ms < kLeastEveryMs || schedule.every_ms > kMostEveryMs) {
        return invalid_argument(
            "every_ms of the schedule must be 1000 (a second) or more, and not "
            "beyond ten years");
      }
      if (schedule.start_ms < 0 || schedule.start_ms > kLastMs) {
        return invalid_argument("start_ms of the schedule is no time");
      }
      out.every_ms_ = schedule.every_ms;
      out.start_ms_ = schedule.start_ms != 0 ? schedule.start_ms : created_ms;
      break;
    case ScheduleKind::Cron: {
      GANTRY_ASSIGN(out.expression_, CronExpression::parse(schedule.expression));
      const bool named = !schedule.time_zone.empty();
      GANTRY_ASSIGN(out.zone_, Zone::find(named ? schedule.time_zone : default_zone));
      break;
    }
  }
  return out;
}

std::optional<std::int64_t> Timing::next(std::int64_t after_ms) const {
  switch (kind_) {
    case ScheduleKind::At:
      if (start_ms_ > after_ms) return start_ms_;
      return std::nullopt;
    case ScheduleKind::Every: {
      if (after_ms > kLastMs) return std::nullopt;
      // A grid that begins when the job is made has its first time one step later.
      const std::int64_t gone = after_ms - start_ms_;
      if (gone < 0) return start_ms_;
      return start_ms_ + (gone / every_ms_ + 1) * every_ms_;
    }
    case ScheduleKind::Cron: {
      const std::optional<std::int64_t> at = zone_->next(*expression_, whole_seconds(after_ms));
      if (!at) return std::nullopt;
      return *at * kMsInSecond;
    }
  }
  return std::nullopt;
}

}  // namespace gantry::scheduler
