// SPDX-License-Identifier: Apache-2.0
//
// When a schedule comes true. Reads time zones from the disk, once each.
#pragma once

#include <gantry/contracts/schedule.hpp>
#include <gantry/result.hpp>

#include <optional>
#include <string>

#include "zone.hpp"

namespace gantry::scheduler {

class Timing {
 public:
  /// `created_ms` begins the grid of an Every that says nothing. Errors: invalid_argument (what is
  /// wrong with the schedule), unavailable (no time zones).
  static Result<Timing> of(const Schedule& schedule, const std::string& default_zone,
                           std::int64_t created_ms);

  /// The first time after `after_ms`; nothing when it never comes again. All in milliseconds.
  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t after_ms) const;

  /// Of a Cron; empty for the others.
  [[nodiscard]] std::string zone_name() const { return zone_ ? zone_->name() : std::string(); }

 private:
  Timing() = default;

  ScheduleKind kind_ = ScheduleKind::At;
  std::int64_t start_ms_ = 0;  // At: the time itself
  std::int64_t every_ms_ = 0;
  std::optional<CronExpression> expression_;
  std::optional<Zone> zone_;
};

}  // namespace gantry::scheduler
